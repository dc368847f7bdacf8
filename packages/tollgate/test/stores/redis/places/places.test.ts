import { concurrency, createLimiter } from "tollgate";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
const LONG = "1h";

describe("places in Redis", () => {
  it.each([1, 3, 64, 1_000])("take at most 16 bytes each, of %i", async (max) => {
    const prefix = freshPrefix();
    const { client } = inUse.redis;
    const limits = [concurrency({ max, ttl: LONG })];
    const limiter = createLimiter({ name: "db", limits, store: inUse.redis.store({ prefix }) });
    for (let taken = 1; taken <= max; taken += 1) {
      const { decision } = await limiter.reserve("all");
      expect(decision.allowed).toBe(true);
      if (taken > 3 && taken < max) continue;
      const [row] = await client.keys(`${prefix}:db:*`);
      expect(await client.strlen(row!)).toBeLessThanOrEqual(32 + 16 * taken);
    }
    expect((await limiter.reserve("all")).decision.allowed).toBe(false);
  });

  it("of one moment are counted apart, when calls of one turn share a script call", async () => {
    const limits = [concurrency({ max: 10, ttl: LONG })];
    const limiter = createLimiter({ name: "db", limits, store: inUse.redis.store() });
    const all = await Promise.all(Array.from({ length: 12 }, () => limiter.reserve("all")));
    expect(all.filter(({ decision }) => decision.allowed).length).toBe(10);
    await Promise.all(all.slice(0, 4).map((one) => one.cancel()));
    expect((await limiter.explain("all"))[0]!.used).toBe(6);
    expect(await Promise.all(all.slice(4, 7).map((one) => one.renew()))).toEqual([true, true, true]);
    await Promise.all(all.map((one) => one.settle(1)));
    expect((await limiter.explain("all"))[0]!.used).toBe(0);
  });

  it.each(["deny", "allow"] as const)("are still held after an outage in which onFailure is %j", async (onFailure) => {
    const store = inUse.redis.store({ onFailure });
    const limiter = createLimiter({ name: "db", limits: [concurrency({ max: 1, ttl: LONG })], store });
    const held = await limiter.reserve("all");
    store.bypass = true;
    expect(await held.renew()).toBe(false);
    store.bypass = false;
    expect(await held.renew()).toBe(true);
    await held.cancel();
    expect((await limiter.explain("all"))[0]!.used).toBe(0);
  });

  it("are free for others at once: a denial is not cached", async () => {
    const prefix = freshPrefix();
    const limits = [concurrency({ max: 1, ttl: LONG })];
    const [one, other] = [0, 1].map(() =>
      createLimiter({ name: "db", limits, store: inUse.redis.store({ prefix, denyCache: true }) }),
    ) as [ReturnType<typeof createLimiter>, ReturnType<typeof createLimiter>];
    const held = await one.reserve("all");
    expect((await other.reserve("all")).decision.allowed).toBe(false);
    await held.cancel();
    expect((await other.reserve("all")).decision.allowed).toBe(true);
  });
});
