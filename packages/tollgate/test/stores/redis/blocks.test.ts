import { createLimiter, fixedWindow, type Limit, perDay, perMinute, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "./kit/use-redis.ts";

const NOW_MS = 1_790_000_000_000;
const inUse = useRedis();

/** Two nodes with one quota, and a clock that both follow. */
function twoNodes(limits: readonly Limit[] = [perDay(100)]) {
  const prefix = freshPrefix();
  const clock = manualClock(NOW_MS);
  const node = () => createLimiter({ name: "api", limits, clock, store: inUse.redis.storeByClock({ prefix }) });
  return { clock, prefix, one: node(), other: node() };
}

/** The name of the limiter's only row on the server. */
async function rowOf(prefix: string): Promise<string> {
  return ((await inUse.redis.command("KEYS", `${prefix}:api:*`)) as [string])[0];
}

describe("a block over Redis", () => {
  it("holds on another node with its next script call", async () => {
    const { one, other } = twoNodes();
    expect([await one.allow("ann"), await other.allow("ann")]).toEqual([true, true]);
    await one.block("ann", "1h", { reason: "scraping, ключ" });
    const calls = await inUse.redis.callsOf(async () => {
      expect(await other.consume("ann")).toMatchObject({
        reason: "blocked",
        retryAfterMs: 3_600_000,
        block: { endsInMs: 3_600_000, reason: "scraping, ключ" },
      });
    });
    expect(calls).toBe(1);
    await one.block("bob", "1h");
    expect(await inUse.redis.callsOf(() => other.allow("bob"))).toBe(1);
    expect(await other.blockedUntil("ann")).toBe(NOW_MS + 3_600_000);
  });

  it("is cached for a second at most, so that unblock on one node is honoured on the others", async () => {
    const { clock, one, other } = twoNodes();
    await one.block("ann", "1h");
    expect(await other.allow("ann")).toBe(false);
    const calls = await inUse.redis.callsOf(async () => {
      clock.advance(999.999);
      expect(await other.allow("ann", 0)).toBe(false);
      expect((await other.consume("ann", 7)).block?.endsInMs).toBe(3_599_000.001);
    });
    expect(calls).toBe(0);
    expect(await one.unblock("ann")).toBe(true);
    clock.advance(0.001);
    expect(await other.allow("ann")).toBe(true);
  });

  it("that each denied call extends is never cached", async () => {
    const { clock, one, other } = twoNodes([perSecond(1, { blockFor: { duration: "10s", extend: true } })]);
    expect([await one.allow("ann"), await one.allow("ann"), await one.allow("ann")]).toEqual([true, false, false]);
    clock.advance(9_000);
    expect(await one.allow("ann")).toBe(false);
    expect(await other.blockedUntil("ann")).toBe(NOW_MS + 19_000);
  });

  it.each<[string, Limit[]]>([
    ["a bucket", [perDay(50)]],
    ["a fixed window", [fixedWindow({ limit: 50, window: "1d" })]],
    ["several buckets", [perDay(50), perMinute(50, { name: "minute" })]],
    ["a sliding window", [slidingWindow({ limit: 50, window: "1d" })]],
  ])("by the server's time denies %s, alone and in a batch", async (_what, limits) => {
    const store = inUse.redis.store({ denyCache: false });
    const limiter = createLimiter({ name: "api", limits, store });
    for (let i = 0; i < 12; i += 1) await limiter.allow("ann");
    await limiter.block("ann", "1h", { reason: "x" });
    expect([await limiter.allow("ann"), (await limiter.consume("ann")).block?.reason]).toEqual([false, "x"]);
    const keys = ["bob", "ann", "cid", "ann"];
    const out = new Uint8Array(4);
    expect([await limiter.allowMany(keys, out), ...out]).toEqual([2, 1, 0, 1, 0]);
    const decisions = await Promise.all(keys.map((key) => limiter.consume(key, 2)));
    expect(decisions.map(({ allowed, block }) => allowed || block?.reason)).toEqual([true, "x", true, "x"]);
    expect((await limiter.explain("ann"))[0]?.used).toBe(12);
    const untilMs = (await limiter.blockedUntil("ann")) ?? 0;
    expect(Math.abs(untilMs - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  it("is in the key's own row, which expires with the last of counts, block and offences", async () => {
    const prefix = freshPrefix();
    const store = inUse.redis.store({ prefix });
    const blockFor = { durations: ["10m"], forgetAfter: "1h" } as const;
    const limiter = createLimiter({ name: "api", limits: [perDay(1, { blockFor })], store });
    await limiter.block("ann", "10m");
    await limiter.allow("bob");
    await limiter.allow("bob");
    const size = await limiter.size();
    const names = (await inUse.redis.command("KEYS", `${prefix}:api:*`)) as unknown[];
    expect(names).toHaveLength(2);
    const left = await Promise.all(names.map((name) => inUse.redis.command("PTTL", String(name))));
    const minutes = left.map((ms) => Math.round(Number(ms) / 60_000)).toSorted((a, b) => a - b);
    expect([size, ...minutes]).toEqual([2, 10, 1_440]);
    await limiter.block("bob", "2d");
    expect([await limiter.unblock("ann"), await limiter.size()]).toEqual([true, 1]);
    expect(Number(await inUse.redis.command("PTTL", await rowOf(prefix)))).toBeGreaterThan(47 * 3_600_000);
  });

  it("denies under every list of limits, of a function and of another version", async () => {
    const prefix = freshPrefix();
    const node = () => inUse.redis.store({ prefix, denyCache: false });
    let limits: Limit[] = [perDay(5)];
    const chosen = createLimiter({ name: "api", limits: (_key: string) => limits, store: node() });
    const named = (capacity: number) =>
      createLimiter({ name: "api", limits: [perDay(capacity, { name: "calls" })], store: node() });
    await chosen.consume("ann", 1);
    await named(7).consume("ann", 2);
    await named(9).block("ann", "1h");
    expect(await chosen.consume("ann")).toMatchObject({ reason: "blocked" });
    limits = [perMinute(50)];
    expect(await chosen.allow("ann")).toBe(false);
    for (const capacity of [7, 8, 9]) expect(await named(capacity).allow("ann")).toBe(false);
    expect(await chosen.unblock("ann")).toBe(true);
    expect(await named(9).consume("ann")).toMatchObject({ allowed: true, remaining: 6 });
    limits = [perDay(5)];
    expect(await chosen.consume("ann")).toMatchObject({ allowed: true, remaining: 3 });
  });
});

describe("without the server", () => {
  it("blocks are not known, and the verbs that set them reject", async () => {
    const prefix = freshPrefix();
    const store = inUse.redis.store({ prefix, onFailure: "allow" });
    const limiter = createLimiter({ name: "api", limits: () => "unlimited", store });
    await limiter.block("ann", "1h");
    expect(await limiter.allow("ann")).toBe(false);
    store.bypass = true;
    expect(await limiter.allow("ann")).toBe(true);
    await expect(limiter.blockedUntil("ann")).rejects.toMatchObject({ code: "ERR_STORE" });
    store.bypass = false;
    expect(await limiter.unblock("ann")).toBe(true);
  });
});
