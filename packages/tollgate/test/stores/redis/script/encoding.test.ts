import { describe, expect, it } from "vitest";
import { perHour, perSecond, slidingWindow } from "../../../../src/index.ts";
import { decodeReply } from "../../../../src/stores/redis/script/decode-reply.ts";
import { encodeCall } from "../../../../src/stores/redis/script/encode-call.ts";
import { epochOf } from "../../../../src/stores/redis/script/epoch.ts";
import { call, encoded, NOW_US, together } from "./kit/script-call.ts";

const utc = (year: number) => Date.UTC(year, 0, 1) * 1_000;
const YEAR_US = 365.25 * 86_400_000_000;

describe("an epoch", () => {
  it("the epoch from 2015 to 2054 has an empty mark", () => {
    expect(epochOf(NOW_US)).toEqual({ originUs: utc(2035), mark: "" });
    expect(epochOf(utc(2015) + 86_400_000_000)).toEqual(epochOf(NOW_US));
    expect(epochOf(utc(2055) - 86_400_000_000)).toEqual(epochOf(NOW_US));
  });

  it("earlier and later epochs have other marks and origins", () => {
    expect(epochOf(utc(2056)).mark).toBe("1");
    expect(epochOf(utc(2000)).mark).toBe("-1");
    expect(epochOf(0).mark).toBe("-2");
  });

  it.each([0, NOW_US, utc(2015), utc(2055), 2 ** 52, -(2 ** 52)])(
    "an epoch begins at most 20 years before its origin, and ends later: %i µs",
    (us) => {
      const distanceUs = us - epochOf(us).originUs;
      expect(distanceUs).toBeGreaterThanOrEqual(-20 * YEAR_US);
      expect(distanceUs).toBeLessThan(20 * YEAR_US);
    },
  );
});

describe("the arguments of a call", () => {
  const bucket = encoded(perSecond(10));
  const few = (transactions: Parameters<typeof encodeCall>[0]["transactions"]) => encodeCall({ transactions });

  it("every key is listed once", () => {
    const calls = ["a", "b", "a"].map((name) => call("take", bucket, name));
    expect(few(calls).keys).toEqual(["a", "b"]);
    expect(few([together(call("charge", bucket, "a"), call("charge", bucket, "a"))]).keys).toEqual(["a"]);
  });

  it("the arguments begin with the plans, or with the time and the origin of ticks that a test gives", () => {
    const transactions = [call("take", bucket, "a"), call("take", bucket, "b")];
    const { args } = encodeCall({ nowUs: NOW_US, transactions });
    expect(args.slice(0, 2)).toEqual([`@${NOW_US} ${utc(2035)}`, bucket.text]);
    expect(few(transactions).args).toEqual(args.slice(1));
  });

  it("a take alone has the arguments of a batch of one", () => {
    for (const detail of ["each", "first-denied"] as const) {
      const transactions = [call("take", bucket, "a", 3, { times: 2, detail })];
      const { keys, args } = encodeCall({ nowUs: NOW_US, transactions });
      expect(few(transactions)).toEqual({ keys, args: args.slice(1) });
    }
  });

  it("identical calls for a hundred keys have as many arguments as for one", () => {
    const of = (count: number) => Array.from({ length: count }, (_, i) => call("take", bucket, `key ${i}`));
    expect(few(of(100)).args.length).toBe(few(of(1)).args.length);
    expect(few([...of(100), call("take", bucket, "another", 2)]).args.length).toBe(few(of(1)).args.length + 6);
  });

  it("a refund can carry the moment of its take", () => {
    const { args } = few([call("refund", bucket, "a", 2, { takenUs: NOW_US })]);
    expect(args.slice(-8)).toEqual(["refund", "3", "1", String(NOW_US), "1", "1", "1", "2"]);
  });
});

describe("the reply to a call", () => {
  const two = encoded(perSecond(10), slidingWindow({ limit: 5, window: "1s" }));
  const one = encoded(perHour(5));

  it("a reply has a report per call", () => {
    const [outcome] = decodeReply([NOW_US, 1, 1, 2, 3, 4, 5, 0, 6, -1, 7, 8], [call("take", two, "a")]) ?? [];
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

  it("a reply can have a report of the first denied call only", () => {
    const some = call("take", one, "a", 1, { times: 3, detail: "first-denied" });
    expect(decodeReply([NOW_US, 3], [some])).toEqual([{ admitted: 3, reports: [] }]);
    const [outcome] = decodeReply([NOW_US, 2, 0, 5, 1, 0, 2], [some]) ?? [];
    expect(outcome).toMatchObject({ admitted: 2, reports: [{ admitted: false, waitUs: [1] }] });
  });

  it("the reply to a refund or a drop is one number", () => {
    const outcomes = decodeReply([NOW_US, 1, 0], [call("refund", two, "a"), call("drop", one, "a")]);
    expect(outcomes).toEqual([
      { admitted: 1, reports: [] },
      { admitted: 0, reports: [] },
    ]);
  });

  it("a reply begins with the moment of the decisions", () => {
    const [outcome] = decodeReply([NOW_US, 1, 1, 1, 0, 1, 2], [call("take", one, "a")]) ?? [];
    expect(outcome).toMatchObject({ admitted: 1, decidedUs: NOW_US, reports: [{ used: [1], resetUs: [2] }] });
  });

  it("takes are reported up to the first denial, charges each, and read-only verbs once", () => {
    const reports = (verb: "take" | "charge" | "peek", reply: readonly number[]) =>
      decodeReply([NOW_US, ...reply], [call(verb, one, "a", 1, { times: 4 })])?.[0]?.reports.map(
        ({ admitted }) => admitted,
      );
    const entry = [1, 0, 0, 0, 0];
    expect(reports("take", [2, ...entry, ...entry, ...entry])).toEqual([true, true, false]);
    expect(reports("take", [4, ...entry, ...entry, ...entry, ...entry])).toEqual([true, true, true, true]);
    expect(reports("charge", [1, ...entry, ...entry, ...entry, ...entry])).toEqual([true, false, false, false]);
    expect(reports("peek", [4, ...entry])).toEqual([true]);
  });

  it("a negative number means a rejected write", () => {
    const outcomes = decodeReply(
      [NOW_US, -1, 1, -5],
      [call("take", two, "a"), call("refund", one, "b"), call("take", one, "c")],
    );
    expect(outcomes?.map(({ rejected }) => rejected)).toEqual(["OOM", undefined, "NOPERM"]);
    expect(() => decodeReply([NOW_US, -100], [call("take", one, "a")])).toThrow("a known rejection");
  });

  it("the reply to a cancelled call is empty", () => {
    expect(decodeReply([], [call("take", one, "a")])).toBeUndefined();
  });

  it.each([[[NOW_US, 1]], [[NOW_US, 1, 1, 1, 0, 0, 0, 0]]])(
    "a reply that does not fit the call throws: %j",
    (reply) => {
      expect(() => decodeReply(reply, [call("take", one, "a")])).toThrow("expected a reply of");
    },
  );
});
