import { createLimiter, type OverflowPolicy, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { BUCKETS, fill, keys, LISTS, SLOTS, START_MS } from "./full-shared-store.ts";
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

  it("share one bucket in both attachments, and their decisions say so", () => {
    const { here, there } = setUp();
    expect(here.consume("new")).toMatchObject({ allowed: true, overflowed: true, remaining: 1 });
    expect(there.consume("new")).toMatchObject({ allowed: true, overflowed: true, remaining: 0 });
    expect(here.consume("new")).toMatchObject({ allowed: false, overflowed: true, reason: "exhausted" });
    expect(there.peek("new")).toMatchObject({ allowed: false, overflowed: true, reason: "exhausted" });
    expect([here.allow("new"), there.handle("new").allow(), here.allowMany(["new"], new Uint8Array(1))]).toEqual([
      false,
      false,
      0,
    ]);
  });

  it("have the state of their bucket in calls that take nothing", () => {
    const { here, there } = setUp();
    here.charge("new", 5);
    expect(there.consume("new", 0)).toMatchObject({ allowed: false, overflowed: true });
    expect(there.allow("new", 0)).toBe(false);
    expect(there.consume("new", 3)).toMatchObject({ allowed: false, overflowed: true, reason: "cost-over-capacity" });
    expect(there.explain("new")[0]).toMatchObject({ used: 5 });
  });

  it("are dropped by clear, not by a reset of one key", () => {
    const { here, there } = setUp();
    here.charge("new", 2);
    there.reset("new");
    expect(here.allow("new")).toBe(false);
    there.clear();
    expect(here.size).toBe(0);
    fill(here);
    expect(here.consume("new", 2)).toMatchObject({ allowed: true, remaining: 0, overflowed: true });
  });

  it("raise overflowCount by calls that take, not by peeks and refunds", () => {
    const { store, end, here, there } = setUp();
    here.peek("new");
    there.explain("new");
    here.refund("new", 1);
    there.reset("new");
    expect([store.overflowCount, end.overflowCount]).toEqual([0, 0]);
    here.allow("new");
    there.consume("new");
    here.charge("new", 1);
    there.allowMany(["new", "filler-0", "newer"], new Uint8Array(3));
    here.handle("new").allow();
    expect([store.overflowCount, end.overflowCount]).toEqual([6, 6]);
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

describe("overflow buckets of a shared store", () => {
  it("take no slots for peeks", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: 1 });
    fill(createLimiter({ name: "first", limits: [perMinute(2)], clock, store }));
    for (let i = 0; i < 40; i += 1) {
      const limiter = createLimiter({ name: `limiter-${i}`, limits: [perMinute(1)], clock, store: end });
      for (const key of keys(300)) expect(limiter.peek(key)).toMatchObject({ allowed: true, overflowed: true });
    }
  });
});
