import { describe, expect, it } from "vitest";
import { arrayBuffersInUse, heapInUse } from "../memory/memory-in-use.ts";
import { choosing, forgetLimits } from "./chosen-plans.ts";
import { BOUNDED_STORES } from "./full-stores.ts";

describe.each(BOUNDED_STORES)("limits chosen by function, on a $kind store", ({ kind, create }) => {
  const setUp = (maxKeys: number) => choosing(create, maxKeys);

  it("take memory only while they are in use", () => {
    const { clock, limiter } = setUp(3_000);
    let plan = 0;
    const use = (count: number) => {
      for (let i = 0; i < count; i += 1) {
        limiter.allow({ key: "ann", plan });
        plan += 1;
        if (plan % 1_000 === 0) clock.advance(60_000);
      }
      forgetLimits();
    };
    use(10_000);
    const before = heapInUse() + arrayBuffersInUse();
    use(60_000);
    expect(heapInUse() + arrayBuffersInUse() - before).toBeLessThan(15e6);
  });

  it("keep their overflow buckets in bounded memory until these are idle", () => {
    // This table has 4,400 slots for keys, and as many for buckets.
    const { clock, store, limiter } = setUp(kind === "table" ? 2_000 : 1);
    const fillers = kind === "table" ? 4_500 : 1;
    for (let i = 0; i < fillers; i += 1) limiter.charge({ key: `filler-${i}`, plan: 0 }, 1_000_000);
    const before = heapInUse() + arrayBuffersInUse();
    for (let round = 0; round < 10; round += 1) {
      for (let plan = 1; plan <= 2_000; plan += 1) {
        const input = { key: "new", plan: 2_000 * round + plan };
        if (!limiter.allow(input) || limiter.allow(input)) throw new Error(`plan ${input.plan}`);
      }
      clock.advance(60_000);
    }
    expect(store.size).toBe(kind === "table" ? 4_400 : fillers);
    // 2,000 plans at a time, with 256 buckets each, take 4 MB. The rest is what the plans themselves take.
    expect(heapInUse() + arrayBuffersInUse() - before).toBeLessThan(40e6);
  });
});
