import { createLimiter, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { arrayBuffersInUse, heapInUse } from "../memory/memory-in-use.ts";
import { BOUNDED_STORES, freshKeys } from "./full-stores.ts";

const START_MS = 1_790_000_000_123;
const FLOOD = 5_000_000;
const MAX_KEYS = 10_000;
/** A table holds up to 2.2 times the keys that it has room for in any case. */
const MOST_KEYS = { memory: MAX_KEYS, table: 22_000 };
const BUCKETS = 256;
const LIMIT = 5;

describe.each(BOUNDED_STORES)("five million new keys in a $kind store for 10,000", ({ kind, create }) => {
  it("gain a bounded number of units, loosen no limit, take no memory and end", { timeout: 120_000 }, () => {
    const clock = manualClock(START_MS);
    const store = create({ maxKeys: MAX_KEYS });
    const limiter = createLimiter({ limits: [perMinute(LIMIT)], clock, store });
    expect(limiter.allow("eve", LIMIT)).toBe(true);
    const before = heapInUse() + arrayBuffersInUse();
    let admitted = 0;
    for (let i = 0; i < FLOOD; i += 1) {
      if (limiter.allow(`flood-${i}`, LIMIT)) admitted += 1;
      if (i % 1_000_000 > 0) continue;
      expect(limiter.allow("eve")).toBe(false);
      // 10,000 keys of about 81 bytes, or none but what a table has from the beginning.
      expect(heapInUse() + arrayBuffersInUse() - before).toBeLessThan(5e6);
    }
    const room = MOST_KEYS[kind as keyof typeof MOST_KEYS];
    expect(admitted).toBeLessThanOrEqual(room + BUCKETS);
    expect(admitted).toBeGreaterThan(MAX_KEYS);
    expect(store.size).toBeLessThanOrEqual(room);
    expect(store.overflowCount).toBe(FLOOD - (store.size - 1));

    // Ordinary clients get what the buckets have refilled, one unit each.
    clock.advance(60_000 / LIMIT);
    expect(freshKeys(10_000, "client").filter((key) => limiter.allow(key))).toHaveLength(BUCKETS);
    expect([limiter.allow("eve"), limiter.allow("eve")]).toEqual([true, false]);

    // The flood is over: room for all that come.
    clock.advance(60_000);
    for (const key of freshKeys(MAX_KEYS, "visitor")) {
      const decision = limiter.consume(key, LIMIT);
      if (!decision.allowed || decision.overflowed) throw new Error(`no room for ${key}`);
    }
    expect(store.size).toBeLessThanOrEqual(room);
  });
});
