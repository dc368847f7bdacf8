import { createLimiter, type Decision } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { BUCKETS, keys, LISTS } from "./full-shared-store.ts";
import { twoEnds } from "./two-ends.ts";

function isStoreFull(decision: Decision): boolean {
  return !decision.allowed && decision.reason === "store-full";
}

/** A table for fewer keys has a smaller area for overflow buckets. */
const MANY_KEYS = 4_000;

describe("overflow buckets of a shared store", () => {
  it.each(LISTS)("serve 32 limiters at a time, and deny keys of further limiters: %s a key", (_name, limits) => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: MANY_KEYS });
    // So many keys that each slot has one.
    const first = createLimiter({ name: "first", limits, clock, store });
    for (const key of keys(60_000, "filler")) if (first.peek(key).overflowed === undefined) first.charge(key, 2);
    const limiters = Array.from({ length: 40 }, (_, i) =>
      createLimiter({ name: `limiter-${i}`, limits, clock, store: i % 2 === 0 ? store : end }),
    );
    const admitted = limiters.map((limiter) => keys(6_000).filter((key) => limiter.allow(key)).length);
    // With more limiters, some buckets find all of their slots in use.
    for (const count of admitted.slice(0, 12)) expect(count).toBe(BUCKETS * 2);
    const all = admitted.reduce((sum, count) => sum + count, 0);
    expect(all).toBeGreaterThan(29 * BUCKETS * 2);
    expect(all).toBeLessThanOrEqual(32 * BUCKETS * 2);
    const last = createLimiter({ name: "limiter-39", limits, clock, store });
    const denied = keys(4_000).find((key) => isStoreFull(last.consume(key)));
    expect(last.peek(denied!)).toMatchObject({ allowed: false, reason: "store-full" });
    // Idle buckets are free for other limiters.
    clock.advance(60_001);
    expect(last.consume(denied!, 2)).toMatchObject({ allowed: true });
  });
});
