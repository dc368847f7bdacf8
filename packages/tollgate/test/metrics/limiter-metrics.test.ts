import { concurrency, createLimiter, fixedWindow, perMinute, slidingWindow } from "tollgate";
import { hotKeys } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE, limiterOver } from "../limiter/every-store.ts";
import { START_MS } from "../start-ms.ts";
import { instrumented } from "./instrumented.ts";
import { histogramOf, linesOf } from "./scrape.ts";

const clock = manualClock(START_MS);
const NEAR = "rate_limit_near_limit_total";

describe("rate_limit_near_limit_total", () => {
  const near = (limit: string, count: number) => `${NEAR}{limiter="api",limit="${limit}"} ${count}`;

  it.each(EVERY_STORE)("counts calls that are admitted with less than 20 % left, over %s", async (_name, store) => {
    const limiter = limiterOver(store(), { name: "api", limits: [perMinute(35, { name: "calls" })], clock });
    const { registry } = instrumented(limiter);
    for (let call = 0; call < 28; call += 1) await limiter.allow("a");
    // 7 of 35 are left, which is not less.
    expect(await linesOf(registry, NEAR)).toEqual([]);
    await limiter.allow("a");
    await limiter.consume("a");
    await limiter.allow("b", 35);
    await limiter.handle("a").allow();
    expect(await linesOf(registry, NEAR)).toEqual([near("calls", 4)]);
    for (let call = 0; call < 10; call += 1) await limiter.allow("a");
    expect(await linesOf(registry, NEAR)).toEqual([near("calls", 8)]);
  });

  it.each([
    ["a fixed window", fixedWindow({ limit: 9, window: "1m", name: "calls" })],
    ["a sliding window", slidingWindow({ limit: 9, window: "1m", name: "calls" })],
    ["a limit that blocks", perMinute(9, { name: "calls", blockFor: "1m" })],
  ])("counts under %s", async (_name, limit) => {
    const limiter = createLimiter({ name: "api", limits: [limit], clock: manualClock(START_MS) });
    const { registry } = instrumented(limiter);
    for (let call = 0; call < 20; call += 1) limiter.allow("a");
    expect(await linesOf(registry, NEAR)).toEqual([near("calls", 2)]);
  });
});

/** Lets a store elsewhere answer. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
}

describe("calls that wait", () => {
  it.each([EVERY_STORE[0]!, EVERY_STORE[3]!])("are counted while they wait, over %s", async (_name, create) => {
    const own = manualClock(START_MS);
    const store = create();
    // Heads that ask a store elsewhere come up to a tenth later.
    const spareMs = store.kind === "sync" ? 0 : 100;
    const limiter = limiterOver(store, { name: "api", limits: [perMinute(60, { burst: 1 })], clock: own });
    const { registry } = instrumented(limiter);
    await limiter.allow("a");
    const waits = [limiter.wait("a"), limiter.wait("a"), limiter.acquire("a")];
    const failing = limiter.wait("a", 1, { signal: AbortSignal.abort() });
    await expect(failing).rejects.toThrow();
    await turns();
    expect(await linesOf(registry, "rate_limit_waiting")).toEqual(['rate_limit_waiting{limiter="api"} 3']);
    for (const wait of waits) {
      own.advance(1_000 + spareMs);
      await wait;
      await turns();
    }
    await limiter.wait("b");
    expect(await linesOf(registry, "rate_limit_waiting")).toEqual(['rate_limit_waiting{limiter="api"} 0']);
    const waited = await histogramOf(registry, "rate_limit_wait_seconds");
    expect(waited).toMatchObject({ count: 4, sum: 6 + (6 * spareMs) / 1_000 });
    expect(waited.buckets.find(([bound]) => bound === 2)).toEqual([2, spareMs === 0 ? 3 : 2]);
  });
});

describe("rate_limit_places_in_use", () => {
  const places = (count: number) => [`rate_limit_places_in_use{limiter="api",limit="streams"} ${count}`];

  it.each([EVERY_STORE[0]!, EVERY_STORE[3]!])("has the places that are held, over %s", async (_name, store) => {
    const own = manualClock(START_MS);
    const limits = [concurrency({ max: 3, ttl: "1m", name: "streams" })];
    const limiter = limiterOver(store(), { name: "api", limits, clock: own });
    const { registry } = instrumented(limiter);
    const reservations = [await limiter.reserve("a", 2), await limiter.reserve("b"), await limiter.reserve("a", 2)];
    expect(reservations.map(({ decision }) => decision.allowed)).toEqual([true, true, false]);
    expect(await linesOf(registry, "rate_limit_places_in_use")).toEqual(places(3));
    await reservations[0]?.cancel();
    expect(await linesOf(registry, "rate_limit_places_in_use")).toEqual(places(1));
    own.advance(40_000);
    await reservations[1]?.renew();
    own.advance(40_000);
    expect(await linesOf(registry, "rate_limit_places_in_use")).toEqual(places(1));
    own.advance(40_000);
    expect(await linesOf(registry, "rate_limit_places_in_use")).toEqual([]);
  });
});

describe("rate_limit_places_in_use of limits that a function makes", () => {
  it("shows a thousand by name, and all others together", async () => {
    const limits = (i: number) => [concurrency({ max: 3, ttl: "1h", name: `streams-${i}` })];
    const limiter = createLimiter({ name: "api", key: () => "ann", limits, clock: manualClock(START_MS) });
    const { registry } = instrumented(limiter);
    for (let i = 0; i < 3_000; i += 1) limiter.reserve(i);
    const lines = await linesOf(registry, "rate_limit_places_in_use");
    expect(lines.length).toBe(1_001);
    expect(lines[999]).toBe('rate_limit_places_in_use{limiter="api",limit="streams-999"} 1');
    expect(lines[1_000]).toBe('rate_limit_places_in_use{limiter="api",limit="other"} 2000');
  });
});

describe("rate_limit_tokens", () => {
  it("has the keys that hotKeys finds most denied", async () => {
    const limiter = createLimiter({ name: "api", limits: [perMinute(2, { name: "calls" })], clock });
    const { registry } = instrumented(limiter, { tokensOf: hotKeys(limiter, { top: 2, sample: 1 }) });
    for (const key of ["a", "a", "a", "b", "b", "b", "b", "c", "c"]) limiter.allow(key);
    expect(await linesOf(registry, "rate_limit_tokens")).toEqual([
      'rate_limit_tokens{limiter="api",limit="calls",key="b"} 0',
      'rate_limit_tokens{limiter="api",limit="calls",key="a"} 0',
    ]);
  });
});

describe("metrics that come and go", () => {
  it("never make more series than the cap, for 100,000 keys", async () => {
    const limiter = createLimiter({ name: "api", limits: [perMinute(1, { name: "calls" })], clock });
    const hot = hotKeys(limiter, { top: 10, sample: 1 });
    const { registry } = instrumented(limiter, { keyLabel: (key) => key, maxKeyLabels: 50, tokensOf: hot, sample: 1 });
    for (let i = 0; i < 100_000; i += 1) limiter.allow(`key-${i}`);
    for (let i = 0; i < 100_000; i += 7) limiter.consume(`key-${i}`);
    const all = await linesOf(registry, "rate_limit");
    expect(all.filter((line) => line.startsWith("rate_limit_acquire_total")).length).toBeLessThanOrEqual(2 * 51);
    expect(all.filter((line) => line.startsWith("rate_limit_tokens")).length).toBe(10);
    expect(all.length).toBeLessThan(200);
  });
});
