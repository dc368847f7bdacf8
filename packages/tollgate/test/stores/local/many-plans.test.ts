import { createLimiter, perMinute } from "tollgate";
import { describe, expect, it } from "vitest";
import { choosing } from "./chosen-plans.ts";
import { BOUNDED_STORES } from "./full-stores.ts";

describe.each(BOUNDED_STORES)("limits chosen by function, on a $kind store", ({ kind, create, slots }) => {
  const setUp = (maxKeys: number) => choosing(create, maxKeys);

  it("lose no count while hundreds of them come and go", () => {
    const { clock, store, limiter } = setUp(20_000);
    for (let round = 0; round < 4; round += 1) {
      const plans = Array.from({ length: 400 }, (_, i) => 300 * round + i);
      expect(plans.filter((plan) => limiter.allow({ key: "ann", plan }))).toHaveLength(400);
      expect(plans.filter((plan) => limiter.allow({ key: "bob", plan }))).toHaveLength(400);
      expect(plans.filter((plan) => limiter.allow({ key: "ann", plan }))).toEqual([]);
      expect(plans.filter((plan) => limiter.allow({ key: "bob", plan }))).toEqual([]);
      // The limiter of a table knows the limits that it has met last.
      if (kind === "memory") expect(limiter.size).toBe(store.size);
      clock.advance(60_000);
    }
    limiter.sweep();
    expect([limiter.size, store.overflowCount]).toEqual([0, 0]);
  });

  it("keep the debt in overflow buckets while many plans come", () => {
    const { limiter } = setUp(1);
    for (let i = 0; i < slots; i += 1) limiter.charge({ key: `filler-${i}`, plan: 0 }, 1_000_000);
    // A table for few keys has space for a thousand buckets. Further keys are denied.
    const plans = kind === "table" ? 600 : 3_000;
    const inputs = Array.from({ length: plans }, (_, i) => ({ key: "new", plan: i + 1 }));
    expect(inputs.filter((input) => limiter.allow(input))).toHaveLength(plans);
    expect(inputs.filter((input) => limiter.allow(input))).toHaveLength(0);
  });

  it("leave no keys behind once they are idle and other limiters call", () => {
    const { clock, store, limiter } = setUp(1_000);
    const busy = createLimiter({ name: "busy", limits: [perMinute(1)], clock, store });
    for (let plan = 0; plan < 500; plan += 1) limiter.allow({ key: "ann", plan });
    clock.advance(60_000);
    if (kind === "table") limiter.sweep();
    for (let i = 0; i < 5_000; i += 1) busy.allow("steady");
    expect([limiter.size, store.size]).toEqual([0, 1]);
  });
});
