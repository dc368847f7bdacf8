import { createLimiter, fixedWindow, type Limit, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

const LIMITS: readonly (readonly [string, Limit])[] = [
  ["a bucket", tokenBucket({ capacity: 5, refill: 1, per: "1d" })],
  ["a bucket of several ticks a microsecond", tokenBucket({ capacity: 5, refill: 7, per: "10d" })],
  ["a window from the first call", fixedWindow({ limit: 5, window: "2d" })],
  ["a window by the clock", fixedWindow({ limit: 5, window: "2d", anchor: "clock" })],
];

/** Lone calls have forms of their own: `consume` with figures, `allow` without. */
describe.each(LIMITS)("lone calls of %s", (_name, limit) => {
  it.each([1, 2, 5, 6])("they decide and write as calls with figures do: cost %i", async (cost) => {
    const { redis } = inUse;
    const store = redis.store({ denyCache: false });
    const lone = createLimiter({ name: "lone", limits: [limit], store });
    const full = createLimiter({ name: "full", limits: [limit], store });
    for (let i = 0; i < 7; i += 1) {
      const decision = await full.consume("a", cost);
      expect(await lone.allow("a", cost)).toBe(decision.allowed);
      expect((await lone.explain("a"))[0]?.used).toBe((await full.explain("a"))[0]?.used);
    }
    const names = (await redis.command("KEYS", "*")) as string[];
    const [ofLone, ofFull] = ["lone", "full"].map((name) => names.find((key) => key.includes(`:${name}:`)));
    expect(ofLone === undefined).toBe(cost > 5);
    if (ofLone === undefined || ofFull === undefined) return;
    expect(await redis.command("STRLEN", ofLone)).toBe(await redis.command("STRLEN", ofFull));
    const [one, other] = await Promise.all([ofLone, ofFull].map((key) => redis.command("PEXPIRETIME", key)));
    expect(Math.abs(Number(one) - Number(other))).toBeLessThan(10_000);
    await lone.reset("a");
    await full.reset("a");
  });

  it("a lone call that is denied has the figures of the general form", async () => {
    const limiter = createLimiter({ name: "figures", limits: [limit], store: inUse.redis.store() });
    expect(await limiter.allow("a", 5)).toBe(true);
    expect(await limiter.allow("a")).toBe(false);
    // Answered from the cache of denials, which the lone call filled.
    const calls = await inUse.redis.callsOf(async () => expect(await limiter.allow("a")).toBe(false));
    expect(calls).toBe(0);
    await limiter.reset("a");
  });

  it("a key that a lone call finds with another value is decided by the general form", async () => {
    const { redis } = inUse;
    const limiter = createLimiter({ name: "odd", limits: [limit], store: redis.store() });
    await limiter.allow("a");
    const name = ((await redis.command("KEYS", "*odd*")) as string[])[0]!;
    await redis.command("SET", name, "123");
    await expect(limiter.allow("a")).rejects.toThrow(/expected a value/);
    await redis.command("DEL", name);
  });
});
