import { createLimiter, type Decision, perDay, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { argumentsOfCalls } from "../kit/script-calls.ts";
import { useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
/** A store with default options. */
const DEFAULT_TIMEOUT_MS = 100;

const LIMITS = {
  "a bucket": [perDay(10)],
  "a bucket with odd ticks": [tokenBucket({ capacity: 10, refill: 11, per: "7d" })],
  "an exact window": [slidingWindow({ limit: 10, window: "5h", resolution: 0 })],
  "a window of groups": [slidingWindow({ limit: 10, window: "5h", resolution: "1m" })],
  "several limits": [
    perDay(10),
    slidingWindow({ limit: 20, window: "5h" }),
    perDay(30, { name: "shadow", mode: "shadow" }),
  ],
} as const;

function times<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}

function count(decisions: readonly Decision[], is: (decision: Decision) => boolean): number {
  return decisions.filter(is).length;
}

describe.each(Object.entries(LIMITS))("a flood of one key, under %s", (_, limits) => {
  it("a flood of 10,000 calls is admitted ten times, in few script calls", async () => {
    const { redis } = inUse;
    const limiter = createLimiter({ name: "api", limits, store: redis.store({ timeout: DEFAULT_TIMEOUT_MS }) });
    // Loads the script.
    await limiter.peek("cold");
    let decisions: Decision[] = [];
    let answers: boolean[] = [];
    const calls = await redis.callsOf(async () => {
      [decisions, answers] = await Promise.all([
        Promise.all(times(5_000, () => limiter.consume("hot"))),
        Promise.all(times(5_000, () => limiter.allow("hot"))),
      ]);
    });
    expect(count(decisions, ({ allowed }) => allowed)).toBe(10);
    expect(answers.filter(Boolean)).toEqual([]);
    expect(decisions.filter(({ degraded }) => degraded !== undefined)).toEqual([]);
    expect(calls).toBeLessThanOrEqual(4);
  });
});

describe("calls that exceed the steps in flight", () => {
  it("excess calls are sent in slices, and admitted exactly", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(3_000)], store: inUse.redis.store() });
    let decisions: readonly Decision[] = [];
    const calls = await argumentsOfCalls(inUse.redis.client, async () => {
      decisions = await Promise.all(times(5_000, () => limiter.consume("hot")));
    });
    // The first calls are admitted, in order.
    expect(decisions.map(({ allowed }) => allowed)).toEqual(times(5_000, (i) => i < 3_000));
    expect(decisions.slice(0, 3_000).map(({ remaining }) => remaining)).toEqual(times(3_000, (i) => 2_999 - i));
    expect(calls.length).toBeGreaterThanOrEqual(4);
  });

  it("calls of other keys are sent between the slices", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(20_000)], store: inUse.redis.store() });
    const order: string[] = [];
    const flood = Promise.all(times(10_000, () => limiter.consume("hot"))).then(() => order.push("flood"));
    const other = limiter.consume("ann").then(() => order.push("ann"));
    await Promise.all([flood, other]);
    expect(order).toEqual(["ann", "flood"]);
  });
});

it("allowMany with more inputs than maxPending is sent part by part", async () => {
  // No unit comes back during the test, however busy the machine is.
  const slow = tokenBucket({ capacity: 40_000, refill: 1, per: "1d" });
  const limiter = createLimiter({ name: "api", limits: [slow], store: inUse.redis.store() });
  const out = new Uint8Array(50_000);
  expect(
    await limiter.allowMany(
      Array.from(out, () => "hot"),
      out,
    ),
  ).toBe(40_000);
  expect(out.subarray(0, 40_000).every((admitted) => admitted === 1)).toBe(true);
});

describe("maxPending", () => {
  const OVERLOADED = { allowed: false, reason: "store-unavailable", degraded: "overloaded", retryAfterMs: 1_000 };

  it("calls of a key beyond a quarter of maxPending are denied, and other keys are served", async () => {
    const store = inUse.redis.store({ maxPending: 100, onFailure: "allow" });
    const limiter = createLimiter({ name: "api", limits: [perDay(1_000)], store });
    const hot = times(60, () => limiter.consume("hot"));
    const answers = times(60, () => limiter.allow("warm"));
    const decisions = await Promise.all(hot);
    expect(count(decisions, ({ allowed }) => allowed)).toBe(25);
    expect(decisions.slice(25)).toEqual(times(35, () => expect.objectContaining(OVERLOADED)));
    expect((await Promise.all(answers)).filter(Boolean)).toHaveLength(25);
    expect((await limiter.consume("hot")).remaining).toBe(974);
  });

  it("calls of a blocked key that no limit counts are denied beyond it, too", async () => {
    const store = inUse.redis.store({ maxPending: 100, onFailure: "allow", denyCache: false });
    const limiter = createLimiter({ name: "api", limits: (_key: string) => "unlimited", store });
    await limiter.block("ann", "1h");
    const decisions = await Promise.all(times(60, () => limiter.consume("ann")));
    expect(count(decisions, (decision) => !decision.allowed && decision.reason === "blocked")).toBe(25);
    expect(decisions.slice(25)).toEqual(times(35, () => expect.objectContaining(OVERLOADED)));
    const answers = await Promise.all(times(60, () => limiter.allow("ann")));
    expect(answers.filter(Boolean)).toEqual([]);
    expect((await limiter.consume("bob")).allowed).toBe(true);
  });

  it("maxPending bounds all calls except those that settle others", async () => {
    const store = inUse.redis.store({ maxPending: 8, onFailure: "allow" });
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
    await limiter.consume("key-0", 5);
    const decisions = times(12, (i) => limiter.consume(`key-${i}`));
    const refund = limiter.refund("key-0", 2);
    const charge = limiter.charge("key-1", 4);
    const allowed = (await Promise.all(decisions)).map((decision) => decision.allowed);
    expect(allowed).toEqual(times(12, (i) => i < 8));
    await refund;
    expect((await charge).degraded).toBeUndefined();
    expect((await limiter.peek("key-0", 0)).remaining).toBe(6);
    expect((await limiter.peek("key-1", 0)).remaining).toBe(5);
  });

  it("calls beyond maxPending are answered at once, whatever their number", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: inUse.redis.store() });
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(times(300_000, (i) => limiter.allow(`key-${i % 100_000}`)));
    const grownMb = (process.memoryUsage().rss - before) / 2 ** 20;
    // 65,536 calls are pending, all with new keys.
    expect(answers.filter(Boolean)).toHaveLength(65_536);
    expect(grownMb).toBeLessThan(500);
  });

  it.each([0, -1, 1.5, Number.NaN, 20_000_000, "10", null])("maxPending throws for %s", (maxPending) => {
    const options = { client: inUse.redis.client, maxPending } as never;
    expect(() => inUse.redis.store(options)).toThrow(
      /^maxPending: expected a whole number of calls from 1 to 10000000, got /,
    );
  });
});
