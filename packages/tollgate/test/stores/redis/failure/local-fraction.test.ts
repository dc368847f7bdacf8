import { combine, createLimiter, fixedWindow, memoryStore, perMinute, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { bypassedStore, quarterStore } from "../kit/bypassed-store.ts";
import { type StoreOptions, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

function bypassed(options: StoreOptions) {
  return bypassedStore(inUse.redis, options);
}

function quarter() {
  return quarterStore(inUse.redis);
}

describe("a local fraction of each limit", () => {
  it("remaining units are those of the fraction, and figures describe the whole limit", async () => {
    const { clock, store } = quarter();
    const limit = perMinute(10);
    const limiter = createLimiter({ name: "api", limits: [limit], store, clock });
    expect(await limiter.peek("ann")).toMatchObject({ allowed: true, remaining: 1, limit, degraded: "bypassed" });
    expect(await limiter.consume("ann")).toMatchObject({ allowed: true, remaining: 1, limitRemaining: 1, limit });
    expect(await limiter.allow("ann")).toBe(true);
    expect(await limiter.allow("ann")).toBe(false);
    // A quarter of the rate is one unit in 24 seconds.
    expect(await limiter.consume("ann")).toEqual({
      allowed: false,
      reason: "exhausted",
      degraded: "bypassed",
      limiter: "api",
      limit,
      limits: [limit],
      violated: [limit],
      remaining: 0,
      limitRemaining: 0,
      resetMs: 48_000,
      retryAfterMs: 24_000,
      used: 10,
      usedAfterRetry: 9,
    });
    expect(await limiter.explain("ann")).toMatchObject([
      { capacity: 10, used: 10, remaining: 0, retryAfterMs: 24_000 },
    ]);
    clock.advance(24_000);
    expect(await limiter.handle("ann").allow()).toBe(true);
    const charged = await limiter.charge("ann", 1);
    expect(charged).toMatchObject({ allowed: false, retryAfterMs: 48_000 });
    await limiter.refund("ann", 1, charged);
    clock.advance(24_000);
    expect(await limiter.allow("ann")).toBe(true);
  });

  it("a cost above the fraction is denied for a second, and one above the limit for ever", async () => {
    const { clock, store } = quarter();
    const limiter = createLimiter({ name: "api", limits: [perMinute(10)], store, clock });
    expect(await limiter.consume("ann", 3)).toMatchObject({ allowed: false, reason: "exhausted", retryAfterMs: 1_000 });
    expect(await limiter.consume("ann", 11)).toMatchObject({
      allowed: false,
      reason: "cost-over-capacity",
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
  });

  it("a fraction is at least one unit, and never more than the limit", async () => {
    for (const [share, admitted] of [
      [0.01, [1, 1, 1]],
      [1, [3, 4, 5]],
      [0.5, [1, 2, 2]],
    ] as const) {
      const { clock, store } = bypassed({ onFailure: { fallback: memoryStore(), share } });
      const limits = [perMinute(3), slidingWindow({ limit: 4, window: "1m" }), fixedWindow({ limit: 5, window: "1m" })];
      for (const [i, limit] of limits.entries()) {
        const limiter = createLimiter({ name: `api-${i}`, limits: [limit], store, clock });
        expect(
          await limiter.allowMany(
            Array.from({ length: 20 }, () => "ann"),
            new Uint8Array(20),
          ),
        ).toBe(admitted[i]);
      }
    }
  });

  it("reset and clear drop the local counts", async () => {
    const { clock, store } = quarter();
    const limiter = createLimiter({ name: "api", limits: [perMinute(10)], store, clock });
    for (const forget of [() => limiter.reset("ann"), () => limiter.clear()]) {
      expect(await limiter.allow("ann", 2)).toBe(true);
      expect(await limiter.allow("ann", 1)).toBe(false);
      await forget();
    }
    expect(await limiter.allow("ann", 2)).toBe(true);
  });

  it("earlier denials of the server do not change the fraction, and apply again afterwards", async () => {
    const { redis, clock } = quarter();
    const store = redis.storeByClock({ onFailure: { fallback: memoryStore(), share: 0.2 } });
    const limiter = createLimiter({ name: "api", limits: [perMinute(10)], store, clock });
    await limiter.allow("ann", 10);
    expect(await limiter.allow("ann")).toBe(false);
    store.bypass = true;
    expect(await limiter.allow("ann", 2)).toBe(true);
    expect(await limiter.allow("ann", 1)).toBe(false);
    store.bypass = false;
    expect(await redis.callsOf(async () => expect(await limiter.allow("ann")).toBe(false))).toBe(0);
    clock.advance(6_000);
    expect(await limiter.allow("ann")).toBe(true);
  });
});

describe.each([
  ["a bucket", tokenBucket({ capacity: 10, refill: 1, per: "1h" })],
  ["a window", fixedWindow({ limit: 10, window: "1h" })],
])("after a reset, a refund gives back nothing of later calls to a fallback, under %s:", (_kind, limit) => {
  const createLimiters = () => {
    const { clock, store } = bypassed({ onFailure: { fallback: memoryStore(), share: 1 } });
    const limiterOf = (name: string, onFailure?: "allow") =>
      createLimiter({ name, limits: [limit], store, clock, ...(onFailure && { onFailure }) });
    return { limiter: limiterOf("api"), other: limiterOf("other"), uncounted: limiterOf("uncounted", "allow") };
  };

  it("of one limiter", async () => {
    const { limiter } = createLimiters();
    const reservation = await limiter.reserve("ann", 2);
    const decisions = [await limiter.consume("ann", 2), await limiter.consume("ann")];
    await limiter.reset("ann");
    const [later] = [await limiter.consume("ann", 3), await limiter.consume("ann", 4)];
    for (const decision of decisions) await limiter.refund("ann", 2, decision);
    await reservation.cancel();
    expect(await limiter.explain("ann")).toMatchObject([{ used: 7 }]);
    await limiter.refund("ann", 3, later);
    expect(await limiter.explain("ann")).toMatchObject([{ used: 4 }]);
  });

  it.each(["other", "uncounted"] as const)("of two: %s", async (name) => {
    const { limiter, [name]: beside } = createLimiters();
    const both = combine(beside, limiter);
    const decision = await both.consume("ann", 3);
    await limiter.reset("ann");
    await limiter.consume("ann", 4);
    const later = await both.consume("ann", 2);
    await both.refund("ann", 3, decision);
    expect(await limiter.explain("ann")).toMatchObject([{ used: 6 }]);
    await both.refund("ann", 2, later);
    expect(await limiter.explain("ann")).toMatchObject([{ used: 4 }]);
  });
});
