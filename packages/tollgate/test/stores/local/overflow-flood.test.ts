import { createLimiter, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { runs } from "../../properties/runs.ts";
import { START_MS } from "../../start-ms.ts";
import { arrayBuffersInUse, heapInUse } from "../memory/memory-in-use.ts";
import { BOUNDED_STORES, freshKeys } from "./full-stores.ts";

const MAX_KEYS = 10_000;
/** The most keys that a store for `MAX_KEYS` may hold: a table has 2.2 slots for each. */
const MOST_KEYS = { memory: MAX_KEYS, table: 22_000 };
const BUCKETS = 256;
const LIMIT = 5;

const FLOOD = runs(70_000);

describe.each(BOUNDED_STORES)("a $kind store for 10,000 keys", ({ kind, create }) => {
  it(`bounds what a flood of ${FLOOD} new keys can gain and take`, () => {
    const clock = manualClock(START_MS);
    const store = create({ maxKeys: MAX_KEYS });
    const limiter = createLimiter({ limits: [perMinute(LIMIT)], clock, store });
    expect(limiter.allow("eve", LIMIT)).toBe(true);
    const before = heapInUse() + arrayBuffersInUse();
    let admitted = 0;
    for (let i = 0; i < FLOOD; i += 1) {
      if (limiter.allow(`flood-${i}`, LIMIT)) admitted += 1;
      if (i % (FLOOD / 5) > 0) continue;
      expect(limiter.allow("eve")).toBe(false);
      // 10,000 keys of about 81 bytes in a memory store. A table allocates nothing.
      expect(heapInUse() + arrayBuffersInUse() - before).toBeLessThan(5e6);
    }
    const mostKeys = MOST_KEYS[kind as keyof typeof MOST_KEYS];
    expect(admitted).toBeLessThanOrEqual(mostKeys + BUCKETS);
    expect(admitted).toBeGreaterThan(MAX_KEYS);
    expect(store.size).toBeLessThanOrEqual(mostKeys);
    expect(store.overflowCount).toBe(FLOOD - (store.size - 1));

    // Ordinary clients get the refill of the buckets, one unit each.
    clock.advance(60_000 / LIMIT);
    expect(freshKeys(10_000, "client").filter((key) => limiter.allow(key))).toHaveLength(BUCKETS);
    expect([limiter.allow("eve"), limiter.allow("eve")]).toEqual([true, false]);

    // After the flood every new key gets a slot.
    clock.advance(60_000);
    for (const key of freshKeys(MAX_KEYS, "visitor")) {
      const decision = limiter.consume(key, LIMIT);
      if (!decision.allowed || decision.overflowed) throw new Error(`${key} got no slot`);
    }
    expect(store.size).toBeLessThanOrEqual(mostKeys);
  });
});
