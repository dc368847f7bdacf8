import { createLimiter, perMinute, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { choosing } from "./chosen-plans.ts";
import { BOUNDED_STORES } from "./full-stores.ts";

const START_MS = 1_790_000_000_123;

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

  it("share keys with limiters of the same name after many others came and went", () => {
    const clock = manualClock(START_MS);
    const store = create({ maxKeys: 1_000 });
    const make = (name: string) => createLimiter({ name, limits: [perMinute(1)], clock, store });
    const limiters = Array.from({ length: 100 }, (_, i) => make(`limiter-${i}`));
    for (const limiter of limiters) limiter.allow("ann");
    clock.advance(60_000);
    for (const limiter of limiters) limiter.sweep();
    const others = Array.from({ length: 200 }, (_, i) => make(`other-${i}`));
    for (const limiter of [...others, ...limiters]) expect(limiter.allow("ann")).toBe(true);
    for (let i = 0; i < 100; i += 1) expect(make(`limiter-${i}`).allow("ann")).toBe(false);
    expect([...others, ...limiters].every(({ size }) => size === 1)).toBe(true);
    expect(store.size).toBe(300);
  });

  it("share nothing with fixed limits, at several widths", () => {
    const clock = manualClock(START_MS);
    const store = create({ maxKeys: 100 });
    const wide = [perMinute(2), slidingWindow({ limit: 2, window: "1m" })];
    const limiter = createLimiter({ key: (key: string) => key, limits: () => wide, clock, store });
    const fixed = createLimiter({ name: "fixed", limits: wide, clock, store });
    for (let i = 0; i < 30; i += 1) {
      expect([limiter.allow(`key-${i}`, 2), fixed.allow(`key-${i}`)]).toEqual([true, true]);
      expect([limiter.allow(`key-${i}`), fixed.allow(`key-${i}`, 2)]).toEqual([false, false]);
    }
    expect([limiter.size, fixed.size, store.size]).toEqual([60, 30, 90]);
  });
});
