import { describe, expect, it } from "vitest";
import { fixedWindow, type Limit, perDay, slidingWindow, tokenBucket } from "../../../../src/index.ts";
import { stepsOf } from "../../../../src/stores/redis/script/steps.ts";
import { call, encoded, together } from "./kit/script-call.ts";

const DETAILS = ["first-denied", "each"] as const;
const LIMITS = [
  ["a bucket", perDay(10)],
  ["an inexact bucket", tokenBucket({ capacity: 999_983, refill: 999_983, per: "1d" })],
  ["a fixed window", fixedWindow({ limit: 10, window: "1h" })],
  ["a sliding window", slidingWindow({ limit: 10, window: "1h" })],
] as const;

describe.each(LIMITS)("the steps of joined calls for %s", (_name, limit) => {
  const plan = encoded(limit);
  const steps = (verb: Parameters<typeof call>[0], times: number, detail: (typeof DETAILS)[number], cost = 1) =>
    stepsOf(call(verb, plan, "a", cost, { times, detail }));

  it("the steps do not depend on the number of calls if only the first denial is reported", () => {
    for (const verb of ["take", "charge", "refund", "peek", "explain"] as const) {
      expect(steps(verb, 1_000_000, "first-denied")).toBe(steps(verb, 3, "first-denied"));
      expect(steps(verb, 1_000_000, "first-denied")).toBeLessThan(30);
    }
  });

  it("the steps grow with possible admissions and with charges if each call is reported", () => {
    const most = Math.floor(limit.capacity / 5);
    expect(steps("take", 1_000_000_000, "each", 5)).toBe(steps("take", most + 1, "each", 5));
    expect(steps("take", most + 1, "each", 5)).toBeGreaterThan(steps("take", most, "each", 5));
    expect(steps("charge", 1_000, "each")).toBeGreaterThan(3_000);
    expect(steps("peek", 1_000, "each")).toBe(steps("peek", 1, "each"));
  });
});

describe("steps", () => {
  const bucket = encoded(perDay(10));

  it("the steps grow with rings", () => {
    const of = (limit: number) =>
      stepsOf(call("take", encoded(slidingWindow({ limit, window: "1h", resolution: 0 })), "a"));
    expect(of(1_000)).toBeGreaterThan(of(10) + 50);
  });

  it("the steps grow with the keys of a transaction", () => {
    const two = together(call("take", bucket, "a"), call("take", bucket, "b"));
    expect(stepsOf(two)).toBeGreaterThan(2 * stepsOf(call("take", bucket, "a")));
  });

  it("a call of exact buckets has a third of the steps", () => {
    const take = (limit: Limit) => stepsOf(call("take", encoded(limit), "a", 1, { detail: "first-denied" }));
    expect(3 * take(perDay(10))).toBeLessThan(take(fixedWindow({ limit: 10, window: "1d" })));
  });
});
