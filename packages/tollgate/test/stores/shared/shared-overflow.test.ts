import { createLimiter, type OverflowPolicy } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { BUCKETS, fill, keys, LISTS, SLOTS } from "./full-shared-store.ts";
import { twoEnds } from "./two-ends.ts";

describe.each(LISTS)("keys without slots in a full shared store, with %s a key,", (_name, limits) => {
  /** Two attachments of a store whose slots are all in use. */
  function setUp(overflow: OverflowPolicy = "share") {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: 1, overflow });
    const here = createLimiter({ name: "api", limits, clock, store });
    const there = createLimiter({ name: "api", limits, clock, store: end });
    const fillers = fill(here);
    expect([store.size, end.size, there.size, store.overflowCount]).toEqual([SLOTS, SLOTS, SLOTS, 0]);
    return { clock, store, end, here, there, fillers };
  }

  it("share 256 overflow buckets in both attachments", () => {
    const { store, end, here, there } = setUp();
    const admitted = keys(10_000).filter((key, i) => (i % 2 === 0 ? here : there).allow(key));
    expect(admitted).toHaveLength(BUCKETS * 2);
    expect([store.size, store.overflowCount, end.overflowCount]).toEqual([SLOTS, 10_000, 10_000]);
  });

  it("get slots of their own as soon as other keys are idle", () => {
    const { clock, here, there, fillers } = setUp();
    for (const key of keys(5_000)) here.allow(key);
    clock.advance(60_001);
    const decision = there.consume("new-1", 2);
    expect([decision.allowed, decision.overflowed]).toEqual([true, undefined]);
    expect([here.allow("new-1"), there.allow(fillers[0]!, 2)]).toEqual([false, true]);
  });

  it("are denied in both attachments if the store has overflow: deny", () => {
    const { store, end, here, there, fillers } = setUp("deny");
    for (const limiter of [here, there]) {
      expect(limiter.consume("new")).toMatchObject({ allowed: false, reason: "store-full", retryAfterMs: 1_000 });
      expect([limiter.allow("new"), limiter.allow("new", 0)]).toEqual([false, true]);
      limiter.refund("new", 1);
    }
    expect(store.overflowCount).toBe(end.overflowCount);
    expect(store.overflowCount).toBeGreaterThanOrEqual(4);
    for (const key of fillers) there.reset(key);
    expect([here.allow("new", 2), there.allow("new")]).toEqual([true, false]);
  });
});
