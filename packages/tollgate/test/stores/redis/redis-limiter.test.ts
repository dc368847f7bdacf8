import { Redis } from "ioredis";
import {
  createLimiter,
  fixedWindow,
  type Observation,
  perDay,
  perHour,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { freshPrefix, openStore, useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

describe("one quota for many clients", () => {
  it.each([
    ["a bucket", perDay(1_000)],
    ["an exact sliding window", slidingWindow({ limit: 1_000, window: "1h", resolution: "1ms" })],
    ["a fixed window", fixedWindow({ limit: 1_000, window: "1d", anchor: "first-use" })],
  ])("50 concurrent clients are admitted exactly 1,000 times: %s", async (_name, limit) => {
    const { redis } = inUse;
    const prefix = freshPrefix();
    const clients = Array.from({ length: 50 }, () => new Redis(redis.server.port));
    onTestFinished(() => {
      for (const client of clients) client.disconnect();
    });
    const admitted = await Promise.all(
      clients.map(async (client, i) => {
        const store = openStore(client, { prefix, batch: i % 5 !== 0, denyCache: i % 2 === 0 });
        const limiter = createLimiter({ name: "fleet", limits: [limit], store });
        let count = 0;
        for (let turn = 0; turn < 4; turn += 1) {
          const answers = await Promise.all(
            Array.from({ length: 10 }, (_, call) =>
              call % 2 === 0 ? limiter.allow("all") : limiter.consume("all").then(({ allowed }) => allowed),
            ),
          );
          count += answers.filter(Boolean).length;
        }
        return count;
      }),
    );
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(1_000);
  });

  it("costs and refunds of all clients count", async () => {
    const { redis } = inUse;
    const prefix = freshPrefix();
    const [client, another] = [new Redis(redis.server.port), new Redis(redis.server.port)];
    onTestFinished(() => {
      client.disconnect();
      another.disconnect();
    });
    const limiters = [client, another].map((one) =>
      createLimiter({ name: "fleet", limits: [perDay(100)], store: openStore(one, { prefix }) }),
    );
    await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 10 }, () => limiter.charge("all", 7))));
    await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 10 }, () => limiter.refund("all", 3))));
    expect(await limiters[0]!.explain("all")).toMatchObject([{ used: 80 }]);
  });
});

describe("the keys of a limiter", () => {
  it("size, sweep and clear reach all 5,000 keys of the limiter, and no others", async () => {
    const clock = manualClock(NOW_MS);
    const observed: Observation[] = [];
    const store = inUse.redis.storeByClock({ timeout: "20s" });
    const limits = [perSecond(2), perHour(9)];
    const observe = (observation: Observation) => observed.push(observation);
    const limiter = createLimiter({ name: "api", limits, store, clock, observe });
    const other = createLimiter({ name: "api2", limits, store, clock });
    const keys = Array.from({ length: 5_000 }, (_, i) => `user-${i}`);
    await limiter.allowMany(keys, new Uint8Array(5_000));
    await Promise.all([other.allow("ann"), limiter.allow("user-1"), limiter.charge("user-2", 3)]);
    expect(await limiter.size()).toBe(5_000);
    expect(await limiter.sweep()).toBe(0);
    observed.length = 0;
    // Keys that used one unit are idle, the two that used more are not.
    clock.advance(400_000);
    expect(await limiter.sweep()).toBe(4_998);
    expect(observed).toEqual([{ type: "sweep", limiter: "api", removed: 4_998, remaining: 2 }]);
    expect(await limiter.size()).toBe(2);
    expect(await limiter.peek("user-2", 0)).toMatchObject({ allowed: true, remaining: 2 });
    await limiter.clear();
    expect(await limiter.size()).toBe(0);
    expect(await other.size()).toBe(1);
  });

  it("a sweep removes keys with cached denials once", async () => {
    const clock = manualClock(NOW_MS);
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], store: inUse.redis.storeByClock(), clock });
    await limiter.allowMany(["ann", "ann", "ann"], new Uint8Array(3));
    clock.advance(999.999);
    expect(await limiter.sweep()).toBe(0);
    clock.advance(0.001);
    expect(await limiter.sweep()).toBe(1);
    expect(await limiter.allow("ann", 2)).toBe(true);
  });

  it("with limits chosen per call a key counts once, whatever its limits", async () => {
    const store = inUse.redis.store();
    const [small, large, rare] = [perDay(2), perDay(20), tokenBucket({ capacity: 3, refill: 1, per: "1h" })];
    const limiter = createLimiter({
      name: "plan",
      key: ({ id }: { id: string; plan: "free" | "paid" | "none" }) => id,
      limits: ({ plan }) => ({ free: [small, rare], paid: [large, rare], none: "unlimited" as const })[plan],
      store,
    });
    const ann = { id: "ann", plan: "free" } as const;
    const paying = { id: "ann", plan: "paid" } as const;
    expect(await limiter.consume(ann)).toMatchObject({ allowed: true, limit: small, remaining: 1 });
    // A limit in two lists is one bucket.
    expect(await limiter.consume(paying)).toMatchObject({ allowed: true, limit: rare, limitRemaining: 1 });
    expect(await limiter.consume({ id: "ann", plan: "none" })).toMatchObject({
      allowed: true,
      remaining: Number.POSITIVE_INFINITY,
    });
    expect(await limiter.consume(paying, 2)).toMatchObject({ allowed: false, limit: rare, violated: [rare] });
    expect((await limiter.explain(paying)).map(({ used }) => used)).toEqual([1, 2]);
    expect(await limiter.size()).toBe(1);
    await limiter.reset({ id: "ann", plan: "none" });
    expect(await limiter.size()).toBe(0);
  });
});

describe("handles", () => {
  it("a handle decides as its key does, and survives a reset", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(5)], store: inUse.redis.store() });
    const handle = limiter.handle("ann");
    const turn = await Promise.all([handle.allow(2), limiter.allow("ann", 2), handle.consume(2), handle.allow()]);
    expect(turn).toEqual([true, true, expect.objectContaining({ allowed: false, remaining: 1 }), true]);
    await handle.refund(3);
    expect(await handle.charge(4)).toMatchObject({ allowed: false });
    await limiter.reset("ann");
    expect(await handle.consume(5)).toMatchObject({ allowed: true, remaining: 0 });
  });
});

describe("misuse throws before a call is sent", () => {
  it.each<[string, unknown, unknown]>([
    ["ERR_COST", "ann", -1],
    ["ERR_COST", "ann", 1.5],
    ["ERR_COST", "ann", { tokens: 1 }],
    ["ERR_KEY", Number.NaN, 1],
    ["ERR_KEY", undefined, 1],
  ])("%s is thrown for the key %o and the cost %o", async (code, key, cost) => {
    const limiter = createLimiter({ name: "api", limits: [perDay(5)], store: inUse.redis.store() });
    const calls = await inUse.redis.callsOf(async () => {
      await expect(limiter.allow(key as string, cost as number)).rejects.toMatchObject({ code });
      await expect(limiter.consume(key as string, cost as number)).rejects.toMatchObject({ code });
      await expect(limiter.allowMany(["a", key as string], new Uint8Array(2), cost as number)).rejects.toMatchObject({
        code,
      });
    });
    expect(calls).toBe(0);
  });
});

describe("closing a store and a limiter", () => {
  it("a closing store finishes the calls in flight, and leaves the client open", async () => {
    const { redis } = inUse;
    const store = redis.store();
    const limiter = createLimiter({ name: "api", limits: [perDay(5)], store });
    const before = redis.client.listenerCount("close");
    const asked = limiter.allow("ann");
    await store.close();
    await store.close();
    expect(await asked).toBe(true);
    expect(redis.client.status).toBe("ready");
    expect(redis.client.listenerCount("close")).toBe(before - 1);
  });

  it("a closed limiter is not notified of sweeps, and still decides", async () => {
    const clock = manualClock(NOW_MS);
    const observed: string[] = [];
    const limiter = createLimiter({
      name: "api",
      limits: [perSecond(5)],
      store: inUse.redis.storeByClock(),
      clock,
      observe: ({ type }) => observed.push(type),
    });
    await limiter.allow("ann");
    clock.advance(60_000);
    await limiter.close();
    expect(await limiter.sweep()).toBe(1);
    expect(await limiter.allow("ann")).toBe(true);
    expect(observed).toEqual(["decision", "decision"]);
  });
});
