import { describe, expect, it } from "vitest";
import { perHour, perSecond, slidingWindow } from "../../../src/index.ts";
import { decodeReply } from "../../../src/stores/redis/script/decode-reply.ts";
import { encodeCall } from "../../../src/stores/redis/script/encode-call.ts";
import { eraOf } from "../../../src/stores/redis/script/era.ts";
import { call, encoded, NOW_US, together } from "./call.ts";

const utc = (year: number) => Date.UTC(year, 0, 1) * 1_000;
const YEAR_US = 365.25 * 86_400_000_000;

describe("an era", () => {
  it("is nameless from 2015 to 2054", () => {
    expect(eraOf(NOW_US)).toEqual({ originUs: utc(2035), mark: "" });
    expect(eraOf(utc(2015) + 86_400_000_000)).toEqual(eraOf(NOW_US));
    expect(eraOf(utc(2055) - 86_400_000_000)).toEqual(eraOf(NOW_US));
  });

  it("has another name and another origin before and after", () => {
    expect(eraOf(utc(2056)).mark).toBe("1");
    expect(eraOf(utc(2000)).mark).toBe("-1");
    expect(eraOf(0).mark).toBe("-2");
  });

  it.each([0, NOW_US, utc(2015), utc(2055), 2 ** 52, -(2 ** 52)])(
    "begins at most 20 years before %i µs, and ends later",
    (us) => {
      const distanceUs = us - eraOf(us).originUs;
      expect(distanceUs).toBeGreaterThanOrEqual(-20 * YEAR_US);
      expect(distanceUs).toBeLessThan(20 * YEAR_US);
    },
  );
});

describe("a call's arguments", () => {
  const bucket = encoded(perSecond(10));
  const few = (transactions: Parameters<typeof encodeCall>[0]["transactions"]) =>
    encodeCall({ time: "server", extraMs: 0, transactions });

  it("name every key once", () => {
    const calls = ["a", "b", "a"].map((name) => call("take", bucket, name));
    expect(few(calls).keys).toEqual(["a", "b"]);
    expect(few([together(call("charge", bucket, "a"), call("charge", bucket, "a"))]).keys).toEqual(["a"]);
  });

  it("begin with the time and the clients' skew", () => {
    const transactions = [call("take", bucket, "a")];
    expect(encodeCall({ time: "client", extraMs: 25, transactions }).args.slice(0, 2)).toEqual([String(NOW_US), "25"]);
    expect(few(transactions).args.slice(0, 2)).toEqual(["", "0"]);
  });

  it("are as many for a hundred keys as for one, where the same is asked of all", () => {
    const of = (count: number) => Array.from({ length: count }, (_, i) => call("take", bucket, `key ${i}`));
    expect(few(of(100)).args.length).toBe(few(of(1)).args.length);
    expect(few([...of(100), call("take", bucket, "another", 2)]).args.length).toBe(few(of(1)).args.length + 4);
  });
});

describe("a reply", () => {
  const two = encoded(perSecond(10), slidingWindow({ limit: 5, window: "1s" }));
  const one = encoded(perHour(5));

  it("has a report for each call", () => {
    const [outcome] = decodeReply([1, 1, 2, 3, 4, 5, 0, 6, -1, 7, 8], [call("take", two, "a")]) ?? [];
    expect(outcome?.admitted).toBe(1);
    expect(outcome?.reports).toHaveLength(1);
    expect(outcome?.reports[0]).toMatchObject({
      admitted: true,
      conforms: [true, false],
      used: [2, 6],
      waitUs: [3, Number.POSITIVE_INFINITY],
      usedAfterWait: [4, 7],
      resetUs: [5, 8],
    });
  });

  it("has one for the first that is denied, where only that is wanted", () => {
    const some = call("take", one, "a", 1, { times: 3, detail: "first-denied" });
    expect(decodeReply([3], [some])).toEqual([{ admitted: 3, reports: [] }]);
    const [outcome] = decodeReply([2, 0, 5, 1, 0, 2], [some]) ?? [];
    expect(outcome).toMatchObject({ admitted: 2, reports: [{ admitted: false, waitUs: [1] }] });
  });

  it("has numbers beyond 2^53 in two pieces", () => {
    const [outcome] = decodeReply([0, 0, 9, -1, 0, -41, 2 ** 52 + 1], [call("charge", one, "a")]) ?? [];
    expect(outcome?.reports[0]?.resetUs).toEqual([(2 ** 52 + 1) * 2 ** 40]);
  });

  it("has a number alone for refunds and drops", () => {
    const outcomes = decodeReply([1, 0], [call("refund", two, "a"), call("drop", one, "a")]);
    expect(outcomes).toEqual([
      { admitted: 1, reports: [] },
      { admitted: 0, reports: [] },
    ]);
  });

  it("is empty where nobody waits any more", () => {
    expect(decodeReply([], [call("take", one, "a")])).toBeUndefined();
  });

  it.each([[[1]], [[1, 1, 1, 0, 0, 0, 0]]])("that is none to what was asked is refused: %j", (reply) => {
    expect(() => decodeReply(reply, [call("take", one, "a")])).toThrow("expected a reply of");
  });
});
