import { describe, expect, it } from "vitest";
import { createModel } from "./model.ts";
import type { ModelLimit } from "./model-limit.ts";
import { bucket, SECOND } from "./sample-limits.ts";

describe.each(["ticks", "exact"] as const)("the model's token bucket in %s", (buckets) => {
  const of = (...limits: ModelLimit[]) => createModel({ limits, buckets });

  it("of capacity 10 and 10 a second admits 10 units, then one every 100,000 µs", () => {
    const m = of(bucket());
    for (let left = 9n; left >= 0n; left--) {
      const resetUs = (10n - left) * 100_000n;
      const expected = {
        allowed: true,
        binding: 0,
        remaining: left,
        resetUs,
        shadowDenied: [],
      };
      expect(m.apply("take", "k", 5n, 1n)).toEqual(expected);
    }
    expect(m.apply("take", "k", 5n, 1n)).toEqual({
      allowed: false,
      reason: "exhausted",
      binding: 0,
      remaining: 0n,
      retryAfterUs: 100_000n,
      usedAfterRetry: 9n,
      resetUs: 1_000_000n,
      shadowDenied: [],
    });
    expect(m.apply("take", "k", 100_004n, 1n).allowed).toBe(false);
    expect(m.apply("take", "k", 100_005n, 1n).allowed).toBe(true);
    expect(m.apply("take", "k", 100_005n, 1n).allowed).toBe(false);
  });

  it("rounds a wait up if a unit takes no whole number of microseconds", () => {
    // 3 units each 10 µs: a unit takes 3⅓ µs.
    const m = of(bucket({ capacity: 2n, refill: 3n, perUs: 10n }));
    m.apply("take", "k", 0n, 2n);
    expect(m.apply("take", "k", 0n, 1n)).toMatchObject({
      retryAfterUs: 4n,
      usedAfterRetry: 1n,
      resetUs: 7n,
    });
    expect(m.apply("take", "k", 4n, 1n)).toMatchObject({
      allowed: true,
      remaining: 0n,
    });
    // Full at 6⅔ + 3⅓ = 10 exactly: nothing was lost by the rounding.
    expect(m.explain("k", 9n, 2n)[0]).toMatchObject({
      allowed: false,
      used: 1n,
      remaining: 1n,
      retryAfterUs: 1n,
    });
    expect(m.explain("k", 10n, 2n)[0]).toMatchObject({
      allowed: true,
      used: 0n,
      retryAfterUs: 0n,
      resetUs: 0n,
    });
  });

  it("denies a cost above its capacity for good", () => {
    const m = of(bucket());
    m.apply("take", "k", 0n, 4n);
    expect(m.apply("take", "k", 0n, 11n)).toEqual({
      allowed: false,
      reason: "cost-over-capacity",
      binding: 0,
      remaining: 6n,
      retryAfterUs: "never",
      usedAfterRetry: 0n,
      resetUs: 400_000n,
      shadowDenied: [],
    });
    expect(m.explain("k", 0n, 1n)[0]?.used).toBe(4n);
  });

  it("goes into debt by a charge, and then denies even a cost of 0", () => {
    const m = of(bucket());
    expect(m.apply("charge", "k", 0n, 12n)).toMatchObject({
      allowed: false,
      remaining: 0n,
      retryAfterUs: "never",
    });
    const inDebt = {
      allowed: false,
      used: 12n,
      remaining: 0n,
      retryAfterUs: 200_000n,
      resetUs: 1_200_000n,
    };
    expect(m.explain("k", 0n, 0n)).toEqual([inDebt]);
    expect(m.apply("peek", "k", 199_999n, 0n).allowed).toBe(false);
    expect(m.apply("peek", "k", 200_000n, 0n).allowed).toBe(true);
  });

  it("reports what is left after an allowed charge", () => {
    const m = of(bucket());
    expect(m.apply("charge", "k", 0n, 10n)).toMatchObject({
      allowed: true,
      remaining: 0n,
      resetUs: 1_000_000n,
    });
    const denied = {
      allowed: false,
      reason: "exhausted",
      retryAfterUs: 200_000n,
      usedAfterRetry: 9n,
    };
    expect(m.apply("charge", "k", 0n, 1n)).toMatchObject(denied);
  });

  it("refunds units, never beyond full", () => {
    const m = of(bucket());
    m.apply("take", "k", 0n, 4n);
    m.apply("refund", "k", 0n, 3n);
    expect(m.explain("k", 0n, 1n)[0]?.used).toBe(1n);
    m.apply("refund", "k", 0n, 100n);
    expect(m.explain("k", 0n, 1n)[0]?.used).toBe(0n);
    m.apply("take", "k", 0n, 10n);
    expect(m.apply("take", "k", 0n, 1n).allowed).toBe(false);
    m.apply("refund", "absent", 0n, 3n);
    expect(m.size).toBe(1);
  });

  it("does not refill while the clock goes back, and admits no unit twice", () => {
    const m = of(bucket());
    m.apply("take", "k", SECOND, 10n);
    const denied = { allowed: false, retryAfterUs: 1_000_000n, remaining: 0n };
    expect(m.apply("take", "k", 100_000n, 0n)).toMatchObject({
      ...denied,
      retryAfterUs: 900_000n,
    });
    expect(m.apply("take", "k", 100_000n, 1n)).toMatchObject(denied);
    expect(m.apply("take", "k", 1_100_000n, 1n).allowed).toBe(true);
    expect(m.apply("take", "k", 1_100_000n, 1n).allowed).toBe(false);
  });

  it("is idle when it is full, and not before", () => {
    const m = of(bucket());
    m.apply("take", "k", 0n, 1n);
    m.sweep(99_999n);
    expect(m.size).toBe(1);
    m.sweep(100_000n);
    expect(m.size).toBe(0);
  });

  it("creates no key for a look, a cost of 0 or a denial", () => {
    const m = of(bucket());
    m.apply("peek", "k", 0n, 1n);
    m.explain("k", 0n, 1n);
    m.apply("take", "k", 0n, 0n);
    m.apply("charge", "k", 0n, 0n);
    m.apply("take", "k", 0n, 11n);
    m.apply("refund", "k", 0n, 1n);
    expect(m.size).toBe(0);
  });

  it("that begins empty records its first touch even when it denies", () => {
    const m = of(bucket({ initial: "empty" }));
    const first = {
      allowed: false,
      retryAfterUs: 100_000n,
      usedAfterRetry: 9n,
      resetUs: 1_000_000n,
    };
    expect(m.apply("peek", "k", 0n, 1n)).toMatchObject(first);
    expect(m.size).toBe(0);
    expect(m.apply("take", "k", 50n, 1n)).toMatchObject(first);
    expect(m.size).toBe(1);
    expect(m.apply("take", "k", 100_049n, 1n).allowed).toBe(false);
    expect(m.apply("take", "k", 100_050n, 1n).allowed).toBe(true);
  });

  it("that begins empty records a first touch of cost 0, and a refund", () => {
    const m = of(bucket({ initial: "empty" }));
    expect(m.apply("take", "a", 0n, 0n)).toMatchObject({
      allowed: true,
      remaining: 0n,
    });
    m.apply("refund", "b", 0n, 2n);
    expect(m.size).toBe(2);
    expect(m.explain("b", 0n, 2n)[0]).toMatchObject({
      allowed: true,
      used: 8n,
    });
  });

  it("that begins empty forgets a key that has been full for its idle time", () => {
    const m = of(bucket({ initial: "empty" }));
    m.apply("take", "k", 0n, 0n); // full at 1 s, expired at 61 s
    m.sweep(61n * SECOND - 1n);
    expect(m.size).toBe(1);
    expect(m.explain("k", 61n * SECOND - 1n, 1n)[0]?.remaining).toBe(10n);
    expect(m.explain("k", 61n * SECOND, 1n)[0]?.remaining).toBe(0n);
    expect(m.apply("take", "k", 61n * SECOND, 1n)).toMatchObject({
      allowed: false,
      retryAfterUs: 100_000n,
    });
    m.sweep(61n * SECOND);
    expect(m.size).toBe(1);
    m.sweep(122n * SECOND);
    expect(m.size).toBe(0);
  });
});
