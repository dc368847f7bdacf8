import { describe, expect, it } from "vitest";
import { arrayBuffersInUse, heapInUse } from "../memory/memory-in-use.ts";
import { choosing, forgetLimits } from "./chosen-plans.ts";
import { BOUNDED_STORES } from "./full-stores.ts";

describe.each(BOUNDED_STORES)("limits chosen by function, on a $kind store", ({ create }) => {
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
    use(30_000);
    expect(heapInUse() + arrayBuffersInUse() - before).toBeLessThan(15e6);
  });
});
