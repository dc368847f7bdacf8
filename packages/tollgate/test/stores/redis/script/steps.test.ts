import { describe, expect, it } from "vitest";
import { fixedWindow, perDay, perHour, slidingWindow, tokenBucket } from "../../../../src/index.ts";
import { StepCount, stepsOf } from "../../../../src/stores/redis/script/steps.ts";
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

  it("a call has more steps if keys may have sections", () => {
    const plan = encoded(perDay(10));
    const before = stepsOf(call("charge", plan, "a"));
    plan.others.meet([]);
    expect(stepsOf(call("charge", plan, "a"))).toBeGreaterThan(before);
  });

  it("a call has fewer steps if all its transactions have a short form", () => {
    const takes = Array.from({ length: 100 }, (_, i) =>
      call("take", bucket, `key ${i}`, 1, { detail: "first-denied" }),
    );
    const count = new StepCount();
    for (const take of takes) count.add(take);
    expect(count.totalWith(takes[0]!)).toBe(101 * stepsOf(takes[0]!));
    const window = call("take", encoded(perHour(5), fixedWindow({ limit: 9, window: "1h" })), "window");
    expect(count.totalWith(window)).toBeGreaterThan(3 * 100 * stepsOf(takes[0]!));
    count.add(window);
    expect(count.totalWith(takes[0]!)).toBeGreaterThan(count.totalWith(window) - 100);
    expect(new StepCount().totalWith(window)).toBe(stepsOf(window));
  });
});
