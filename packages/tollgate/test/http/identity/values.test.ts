import { createHash } from "node:crypto";
import fc from "fast-check";
import { clientIp, cookie, firstOf, header } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { CpuTimer } from "../cpu-time.ts";
import { factsFrom } from "./facts.ts";

const keyOf = (value: string | undefined) =>
  header("X-Api-Key")(factsFrom("192.0.2.1", value === undefined ? {} : { "x-api-key": value }));
const hashOf = (value: string) => `sha256:${createHash("sha256").update(value, "utf16le").digest("hex")}`;

describe("header", () => {
  it.each<[string | undefined, string]>([
    [undefined, ""],
    ["", ""],
    ["k-123", "k-123"],
    ["A, b", "A, b"],
    ["192.0.2.1", "192.0.2.1"],
    ["__proto__", "__proto__"],
    ["sha256:", hashOf("sha256:")],
    ["SHA256:k", "SHA256:k"],
    ["sha256", "sha256"],
  ])("gives for %j the key %j", (value, key) => {
    expect(keyOf(value)).toBe(key);
  });

  it("hashes values longer than 256 units and values that begin like a hash", () => {
    expect(keyOf("k".repeat(256))).toBe("k".repeat(256));
    for (const value of ["k".repeat(257), "k".repeat(100_000), hashOf("k".repeat(257))]) {
      expect(keyOf(value)).toBe(hashOf(value));
    }
  });

  it("counts several lines as none", () => {
    const facts = (...lines: string[]) => factsFrom("192.0.2.1", { "x-api-key": lines });
    expect([facts("a", "b1"), facts("a", "a"), facts("a")].map(header("X-API-Key"))).toEqual(["", "", "a"]);
    expect(firstOf(header("x-api-key"), clientIp())(facts("a", "b1"))).toBe("1:192.0.2.1");
    expect(header("x-api-key")({ ...facts("a"), lines: () => "dropped" })).toBe("");
  });

  it("takes its name in any case", () => {
    const facts = factsFrom("192.0.2.1", { "x-api-key": "k" });
    expect(["x-api-key", "X-API-KEY"].map((name) => header(name)(facts))).toEqual(["k", "k"]);
  });

  it.each([[""], ["x key"], ["x:key"], ["x\nkey"], ["é"], [undefined], [null], [1]])("refuses the name %j", (name) => {
    expect(() => header(name as string)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^header: expected the name of a header, got /),
      }),
    );
  });

  it("gives different values different keys, lone surrogates included", () => {
    const long = "k".repeat(256);
    const values = ["\ud800", "\ud801", "\udc00", "\ufffd", "\u0100", "\u0001"].map((unit) => long + unit);
    expect(new Set(values.map(keyOf)).size).toBe(values.length);
    const unit = fc.string({ unit: "binary", maxLength: 300, size: "max" });
    const prefixed = fc.tuple(fc.constantFrom("", "sha256:", long), unit).map((parts) => parts.join(""));
    fc.assert(
      fc.property(prefixed, prefixed, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(one === other);
        expect(keyOf(one).length).toBeLessThanOrEqual(256);
        expect(keyOf(keyOf(one)) === keyOf(one)).toBe(!keyOf(one).startsWith("sha256:"));
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe("cookie", () => {
  it.each<[string | undefined, string]>([
    [undefined, ""],
    ["", ""],
    ["id=1", "1"],
    ["id=", ""],
    ["id", ""],
    ["idx", ""],
    ["idx; id=1", "1"],
    ["other=1", ""],
    ["other=1; id=2", "2"],
    ["other=1;id=2;more=3", "2"],
    ["id=1; id=2", ""],
    ["id=1; id=2; id=1", ""],
    ["id=; id=2", ""],
    ["id=2; id=", ""],
    ["id=1; id=1", "1"],
    ['id=1; x=2; id="1"', "1"],
    ["id=%31; id=%31", "1"],
    ["id=1; id=%31", ""],
    ["id; id=1", "1"],
    ["id=1; ID=2", "1"],
    ["  id \t=\t 1  ; a=b", "1"],
    ['id="1"', "1"],
    ['id=""', ""],
    ['id="', '"'],
    ['id="1', '"1'],
    ['id=1"', '1"'],
    ['id=""1""', '"1"'],
    ["id=a%20b", "a b"],
    ["id=%7342", "s42"],
    ['id="%7342"', "s42"],
    ["id=%22s42%22", '"s42"'],
    ["id=%e2%82%ac", "€"],
    ["id=%2541", "%41"],
    ["id=%", "%"],
    ["id=%7", "%7"],
    ["id=%ff", "%ff"],
    ["id=%73%", "%73%"],
    ["id=%2541; id=%41", ""],
    ["id=a=b==", "a=b=="],
    ["id=a b", "a b"],
    ["=id; id=1", "1"],
    [";;; ; id=1;", "1"],
    ["ID=1", ""],
    ["xid=1; idx=2", ""],
    ["x=id=1", ""],
    ["id2=1; id=sha256:x", hashOf("sha256:x")],
  ])("gives for %j the key %j", (cookies, key) => {
    expect(cookie("id")(factsFrom("192.0.2.1", cookies === undefined ? {} : { cookie: cookies }))).toBe(key);
  });

  it("gives every spelling of a value one key", () => {
    const escaped = (one: string) => `%${one.charCodeAt(0).toString(16).padStart(2, "0")}`;
    const unit = fc.constantFrom("a", "Z", "0", "-", ".", "~", "%", " ", ";", ",", "=", '"');
    const value = fc.array(fc.record({ unit, escapes: fc.boolean() }));
    fc.assert(
      fc.property(value, (units) => {
        const sent = units
          .map(({ unit: one, escapes }) => (escapes || !/[\w.~-]/.test(one) ? escaped(one) : one))
          .join("");
        const meant = units.map(({ unit: one }) => one).join("");
        expect(cookie("id")(factsFrom("192.0.2.1", { cookie: `id=${sent}` }))).toBe(meant);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it("takes linear time over hostile headers", () => {
    const hostile = ["id=%;", "id=%41;", "%", "%41", ";", "=", '"', "id="].map((text) =>
      text.repeat(1_000_000 / text.length),
    );
    const timer = new CpuTimer();
    for (const cookies of hostile) cookie("id")(factsFrom("192.0.2.1", { cookie: `id=${cookies}` }));
    expect(timer.elapsedMs).toBeLessThan(2_000);
  });

  it("hashes values longer than 256 units without the quotes", () => {
    const idIn = (cookies: string) => cookie("id")(factsFrom("192.0.2.1", { cookie: cookies }));
    expect(idIn(`id=${"k".repeat(256)}`)).toBe("k".repeat(256));
    expect(idIn(`id="${"k".repeat(256)}"`)).toBe("k".repeat(256));
    expect(idIn(`id=${"k".repeat(257)}; a=b`)).toBe(hashOf("k".repeat(257)));
  });

  it("finds cookies named like properties of objects", () => {
    const facts = factsFrom("192.0.2.1", { cookie: "__proto__=1; constructor=2" });
    expect(["__proto__", "constructor", "toString"].map((name) => cookie(name)(facts))).toEqual(["1", "2", ""]);
  });

  it.each([[""], ["a=b"], ["a;b"], ["a b"], [undefined], [1]])("refuses the name %j", (name) => {
    expect(() => cookie(name as string)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: expect.stringMatching(/^cookie: expected the name of a cookie, got /),
      }),
    );
  });

  it("throws for no input, and ignores other cookies", () => {
    const text = fc.string({ unit: fc.constantFrom("i", "d", "=", ";", '"', " ", "\t", "\\", "x", "é") });
    const other = text.filter((cookies) => !/(^|;)[ \t]*id[ \t]*=/.test(cookies));
    fc.assert(
      fc.property(other, other, (before, after) => {
        const facts = factsFrom("192.0.2.1", { cookie: `${before};id=v-1;${after}` });
        expect(cookie("id")(facts)).toBe("v-1");
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });
});
