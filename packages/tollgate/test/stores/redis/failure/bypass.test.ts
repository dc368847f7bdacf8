import { createLimiter, perDay, perMinute } from "tollgate";
import type { RedisStoreObservation } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { bypassedStore, quarterStore } from "../kit/bypassed-store.ts";
import { type StoreOptions, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

function bypassed(options?: StoreOptions) {
  return bypassedStore(inUse.redis, options);
}

function quarter() {
  return quarterStore(inUse.redis);
}

describe("the kill switch", () => {
  it("the kill switch sends no call, and admits all calls by default", async () => {
    const { redis, store } = bypassed();
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
    const calls = await redis.callsOf(async () => {
      for (let i = 0; i < 3; i += 1) expect(await limiter.allow("ann")).toBe(true);
      expect(await limiter.consume("ann", 5)).toEqual({
        allowed: true,
        degraded: "bypassed",
        limiter: "api",
        limit: undefined,
        limits: [],
        remaining: undefined,
        limitRemaining: undefined,
        resetMs: 0,
        retryAfterMs: 0,
      });
      expect(await limiter.peek("ann")).toMatchObject({ allowed: true, degraded: "bypassed" });
      expect(await limiter.charge("ann", 3)).toMatchObject({ allowed: true, degraded: "bypassed" });
      await limiter.refund("ann", 3);
      expect(await limiter.explain("ann")).toEqual([]);
      const out = new Uint8Array(2);
      expect(await limiter.allowMany(["ann", "bob"], out)).toBe(2);
      expect(await limiter.handle("ann").consume()).toMatchObject({ allowed: true, degraded: "bypassed" });
      expect(await limiter.handle("ann").allow()).toBe(true);
    });
    expect(calls).toBe(0);
  });

  it("the kill switch denies for a second under onFailure: deny", async () => {
    const { store } = bypassed({ onFailure: "deny" });
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
    expect(await limiter.allow("ann")).toBe(false);
    expect(await limiter.handle("ann").allow()).toBe(false);
    expect(await limiter.consume("ann")).toEqual({
      allowed: false,
      reason: "store-unavailable",
      degraded: "bypassed",
      limiter: "api",
      limit: undefined,
      limits: [],
      violated: [],
      remaining: undefined,
      limitRemaining: undefined,
      resetMs: 0,
      retryAfterMs: 1_000,
      usedAfterRetry: 0,
    });
    const out = new Uint8Array([7, 7]);
    expect(await limiter.allowMany(["ann", "bob"], out)).toBe(0);
    expect([...out]).toEqual([0, 0]);
    expect(await limiter.charge("ann", 1)).toMatchObject({ allowed: false, reason: "store-unavailable" });
    await limiter.refund("ann", 1);
  });

  it("reset reaches the server while the kill switch is on", async () => {
    const { redis, clock } = quarter();
    const store = redis.storeByClock();
    const limiter = createLimiter({ name: "api", limits: [perMinute(10)], store, clock });
    await limiter.consume("ann", 10);
    store.bypass = true;
    expect(await limiter.size()).toBe(1);
    await limiter.reset("ann");
    store.bypass = false;
    expect(await limiter.allow("ann", 10)).toBe(true);
  });

  it("the kill switch takes effect with the next call, on and off", async () => {
    const { store } = bypassed({ onFailure: "deny" });
    const limiter = createLimiter({ name: "api", limits: [perDay(9)], store });
    store.bypass = false;
    const asked = limiter.allow("ann");
    store.bypass = true;
    const denied = limiter.allow("ann");
    store.bypass = false;
    expect(await Promise.all([asked, denied, limiter.allow("ann")])).toEqual([true, false, true]);
    expect(await limiter.consume("ann")).toMatchObject({ remaining: 6 });
    expect((await limiter.consume("ann")).degraded).toBeUndefined();
  });

  it("the store observer is notified once per change, even if it throws", async () => {
    const observed: RedisStoreObservation[] = [];
    const observe = (observation: RedisStoreObservation) => {
      observed.push(observation);
      throw new Error("no");
    };
    const store = inUse.redis.store({ observe });
    expect(store.bypass).toBe(false);
    for (const bypass of [false, true, true, false]) store.bypass = bypass;
    expect(observed).toEqual([
      { type: "bypass", bypass: true },
      { type: "bypass", bypass: false },
    ]);
  });
});
