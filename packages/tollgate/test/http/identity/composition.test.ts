import fc from "fast-check";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, compositeKey, cookie, firstOf, type HttpFacts, header, type KeyOf } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { factsFrom } from "./facts.ts";

const saying =
  (key: string): KeyOf =>
  () =>
    key;
const NO_FACTS = factsFrom(undefined);
const list = fc.array(
  fc.oneof(fc.string({ maxLength: 4 }), fc.string({ unit: fc.constantFrom("1", "2", ":", ",", "0"), maxLength: 6 })),
  { minLength: 1, maxLength: 4 },
);

describe("firstOf", () => {
  const who = firstOf(header("x-api-key"), cookie("session"), clientIp());

  it.each<[Record<string, string>, string | undefined, string]>([
    [{ "x-api-key": "k", cookie: "session=s" }, "192.0.2.1", "0:k"],
    [{ cookie: "session=s" }, "192.0.2.1", "1:s"],
    [{ "x-api-key": "", cookie: "session=" }, "192.0.2.1", "2:192.0.2.1"],
    [{ cookie: "session=s; session=t" }, "192.0.2.1", "2:192.0.2.1"],
    [{}, undefined, "2:unknown"],
    [{ "x-api-key": "192.0.2.1" }, "192.0.2.9", "0:192.0.2.1"],
    [{ "x-api-key": "2:192.0.2.1" }, "192.0.2.9", "0:2:192.0.2.1"],
    [{ cookie: "session=k" }, undefined, "1:k"],
  ])("gives for %j from %s the key %s", (headers, peer, key) => {
    expect(who(factsFrom(peer, headers))).toBe(key);
  });

  it("gives an empty key if all parts are empty", () => {
    expect(firstOf(header("x-a"), cookie("b"))(NO_FACTS)).toBe("");
  });

  it("calls no part after the first that is not empty", () => {
    const never = (): string => {
      throw new Error("asked");
    };
    expect(firstOf(saying("a"), never)(NO_FACTS)).toBe("0:a");
    expect(() => firstOf(saying(""), never)(NO_FACTS)).toThrow("asked");
  });

  it("gives equal keys only for equal values of the same part", () => {
    const meant = (keys: readonly string[]) => {
      const at = keys.findIndex((key) => key !== "");
      return at < 0 ? "none" : JSON.stringify([at, keys[at]]);
    };
    fc.assert(
      fc.property(list, list, (one, other) => {
        const [first, second] = [one, other].map((keys) => firstOf(...keys.map(saying))(NO_FACTS));
        expect(first === second).toBe(meant(one) === meant(other));
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });
});

describe("compositeKey", () => {
  it.each<[string[], string]>([
    [["a"], "1:a"],
    [[""], "0:"],
    [["a", "b_c"], "1:a,3:b_c"],
    [["a_b", "c"], "3:a_b,1:c"],
    [["", ""], "0:,0:"],
    [["1:a,1:b"], "7:1:a,1:b"],
    [["\ud83d\ude00", "\ud83d"], "2:\ud83d\ude00,1:\ud83d"],
  ])("gives for %j the key %s", (keys, key) => {
    expect(compositeKey(...keys.map(saying))(NO_FACTS)).toBe(key);
  });

  it("gives equal keys only for equal parts", () => {
    fc.assert(
      fc.property(list, list, (one, other) => {
        const [first, second] = [one, other].map((keys) => compositeKey(...keys.map(saying))(NO_FACTS));
        expect(first === second).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it("gives another key for the same characters divided differently", () => {
    const text = fc.string({ unit: fc.constantFrom("1", "2", ":", ",", "a"), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, fc.nat({ max: 12 }), fc.nat({ max: 12 }), (whole, here, there) => {
        const keys = [here, there].map((at) =>
          compositeKey(saying(whole.slice(0, at)), saying(whole.slice(at)))(NO_FACTS),
        );
        const isSame = Math.min(here, whole.length) === Math.min(there, whole.length);
        expect(keys[0] === keys[1]).toBe(isSame);
        expect(keys).not.toContain(compositeKey(saying(whole))(NO_FACTS));
      }),
      { seed: 1, numRuns: 2_000 },
    );
  });

  it("takes firstOf as a part, and firstOf takes compositeKey", () => {
    const facts = factsFrom("192.0.2.1", { "x-tenant": "acme" });
    expect(compositeKey(firstOf(header("x-api-key"), clientIp()), header("x-tenant"))(facts)).toBe(
      "11:1:192.0.2.1,4:acme",
    );
    expect(firstOf(compositeKey(header("x-tenant"), clientIp()))(facts)).toBe("0:4:acme,9:192.0.2.1");
  });
});

describe.each([
  ["firstOf", firstOf],
  ["compositeKey", compositeKey],
] as const)("%s", (name, combined) => {
  it.each<[unknown[], string]>([
    [[], `${name}: expected at least one function such as clientIp(), got none`],
    [["x-api-key"], `${name}: expected functions such as clientIp(), got "x-api-key"`],
    [[clientIp(), undefined], `${name}: expected functions such as clientIp(), got undefined`],
  ])("refuses the parts %j", (parts, message) => {
    expect(() => combined(...(parts as KeyOf[]))).toThrow(expect.objectContaining({ code: "ERR_OPTION", message }));
  });

  it("throws and counts nothing if a part returns no string", () => {
    const missing = ((facts: HttpFacts) => facts.header("x-api-key")) as KeyOf;
    const limiter = createLimiter({ key: combined(missing, clientIp()), limits: [perMinute(1)] });
    const message = `${name}: expected parts that return strings, got undefined`;
    expect(() => limiter.allow(NO_FACTS)).toThrow(expect.objectContaining({ code: "ERR_KEY", message }));
    expect(limiter.allow(factsFrom("192.0.2.1", { "x-api-key": "k" }))).toBe(true);
  });
});
