import { createLimiter, type Limit, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { BOUNDED_STORES, fill, freshKeys, sharersOf } from "./full-stores.ts";

describe.each(BOUNDED_STORES)("keys without slots in a full $kind store", (bounded) => {
  function setUp(limits: readonly Limit[] = [perMinute(2)]) {
    const clock = manualClock(START_MS);
    const store = bounded.create({ maxKeys: 1 });
    const limiter = createLimiter({ name: "api", limits, clock, store });
    fill(bounded, limiter, 2);
    return { clock, store, limiter };
  }

  it("share a bucket, and only their decisions say so", () => {
    const { store, limiter } = setUp();
    expect(limiter.consume("new")).toMatchObject({ allowed: true, remaining: 1, overflowed: true });
    expect(limiter.peek("new", 2)).toMatchObject({ allowed: false, reason: "exhausted", overflowed: true });
    expect("overflowed" in limiter.consume("filler-0")).toBe(false);
    expect([store.size, limiter.size]).toEqual([bounded.slots, bounded.slots]);
  });

  it("share 256 buckets that each hold the limit's capacity", () => {
    const { store, limiter } = setUp();
    const admitted = freshKeys(20_000).filter((key) => limiter.allow(key));
    expect(admitted).toHaveLength(256 * 2);
    expect([store.size, store.overflowCount]).toEqual([bounded.slots, 20_000]);
  });

  it("share buckets by a secret of the store", () => {
    const keys = freshKeys(2_000);
    const sharers = [setUp(), setUp(), setUp()].map(({ limiter }) => sharersOf("fresh-0", limiter, keys));
    for (const one of sharers) {
      expect(one).toContain("fresh-0");
      // About 8 of 2,000 keys are expected.
      expect(one.length).toBeLessThan(40);
    }
    const [one, another, third] = sharers.map((names) => names.join(" "));
    expect(one === another || another === third).toBe(false);
  });

  it("refill at the rate of the limit", () => {
    const { clock, limiter } = setUp();
    for (const key of freshKeys(20_000)) limiter.allow(key);
    // The fillers are charged again, so that they stay in use.
    for (let i = 0; i < bounded.slots; i += 1) limiter.charge(`filler-${i}`, 2);
    clock.advance(30_000);
    expect(freshKeys(20_000, "later").filter((key) => limiter.allow(key))).toHaveLength(256);
  });

  it("get slots of their own as soon as a key is idle, and that key loses nothing", () => {
    const { clock, store, limiter } = setUp();
    expect(limiter.allow("new", 2)).toBe(true);
    clock.advance(59_999);
    expect(limiter.consume("new", 2)).toMatchObject({ allowed: false, overflowed: true });
    clock.advance(1);
    const decision = limiter.consume("new", 2);
    expect([decision.allowed, "overflowed" in decision]).toEqual([true, false]);
    expect(store.size).toBeLessThanOrEqual(bounded.slots);
    expect(limiter.allow("new")).toBe(false);
    // It took the slot of a filler, whose two units had refilled.
    expect(limiter.allow("filler-0", 2)).toBe(true);
  });

  it("keep their counts after a reset, which would drop the counts of other keys", () => {
    const { limiter } = setUp();
    const [other] = sharersOf("new", limiter, freshKeys(5_000));
    limiter.reset("new");
    expect([limiter.allow("new"), limiter.allow(other!)]).toEqual([false, false]);
  });

  it("raise overflowCount by calls that take, not by peeks and refunds", () => {
    const { store, limiter } = setUp();
    limiter.peek("new");
    limiter.explain("new");
    limiter.refund("new", 1);
    limiter.reset("new");
    expect(store.overflowCount).toBe(0);
    limiter.allow("new");
    limiter.consume("new");
    limiter.charge("new", 1);
    limiter.allowMany(["new", "filler-0", "newer"], new Uint8Array(3));
    limiter.handle("new").allow();
    expect(store.overflowCount).toBe(6);
  });

  it("refund only to the bucket that made the decision", () => {
    const { clock, limiter } = setUp();
    const [other] = sharersOf("new", limiter, freshKeys(5_000));
    clock.advance(60_000);
    // The fillers are used again, so no slot is free.
    fill(bounded, limiter, 2);
    const inBucket = limiter.consume("new", 2);
    expect(inBucket).toMatchObject({ allowed: true, overflowed: true });
    limiter.refund("new", 1, inBucket);
    expect([limiter.allow(other!), limiter.allow("new")]).toEqual([true, false]);
    for (let i = 0; i < bounded.slots; i += 1) limiter.reset(`filler-${i}`);
    expect(limiter.consume("new", 2)).toMatchObject({ allowed: true, remaining: 0 });
    limiter.handle("new").refund(1, inBucket);
    expect(limiter.peek("new", 0)).toMatchObject({ remaining: 0 });
  });
});
