import { Registry } from "prom-client";
import {
  type AsyncLimiter,
  combine,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limiter,
  memoryStore,
  perMinute,
  perSecond,
  slidingWindow,
} from "tollgate";
import { hotKeys, type InstrumentOptions, instrument } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { EVERY_STORE, limiterOver } from "../limiter/every-store.ts";
import { START_MS } from "../limiter/set-up.ts";
import { AsyncTwin } from "../testing/async-twin.ts";
import { histogramOf, linesOf } from "./scrape.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const clock = manualClock(START_MS);

function instrumented(limiter: Limiter<never> | AsyncLimiter<never>, options: Partial<InstrumentOptions> = {}) {
  const registry = new Registry();
  return { registry, remove: instrument(limiter, { registry, ...options }) };
}

/** A clock for durations that advances by so many nanoseconds with each reading. */
function stepBy(ns: number): { step: number } {
  const ticking = { step: ns };
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += ticking.step;
    return now / 1e6;
  });
  return ticking;
}

const DURATION = "rate_limit_acquire_duration_seconds";
const NEAR = "rate_limit_near_limit_total";

describe("rate_limit_acquire_duration_seconds", () => {
  it.each(EVERY_STORE)(
    "times the calls that are chosen, of every verb that acquires, over %s",
    async (_name, store) => {
      const limiter = limiterOver(store(), { name: "api", limits: [perMinute(100)], clock });
      const { registry } = instrumented(limiter, { sample: 1 });
      const handle = limiter.handle("a");
      await limiter.allow("a");
      await limiter.allow("a", { requests: 2 });
      await limiter.consume("a");
      await handle.allow();
      await handle.consume();
      await limiter.reserve("a");
      expect((await histogramOf(registry, DURATION)).count).toBe(6);
      const decision = await limiter.peek("a");
      await limiter.explain("a");
      await limiter.charge("a", 1, decision);
      await limiter.refund("a", 1);
      expect((await histogramOf(registry, DURATION)).count).toBe(6);
      expect(await linesOf(registry, `${DURATION}_count`)).toEqual([`${DURATION}_count{limiter="api"} 6`]);
    },
  );

  it("has buckets from 50 ns to a second, none more than twice as high as the one before", async () => {
    const limiter = createLimiter({ name: "api", limits: [perMinute(100)], clock });
    const { registry } = instrumented(limiter, { sample: 1 });
    limiter.allow("a");
    const bounds = (await histogramOf(registry, DURATION)).buckets.map(([bound]) => bound);
    expect([bounds[0], bounds.at(-2), bounds.at(-1)]).toEqual([5e-8, 1, Number.POSITIVE_INFINITY]);
    for (let i = 1; i < bounds.length - 1; i += 1) expect(bounds[i]! / bounds[i - 1]!).toBeLessThanOrEqual(2);
    for (const bound of [1e-7, 4e-7, 1e-6, 3e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1]) expect(bounds).toContain(bound);
  });

  it("takes the cost of the timing off", async () => {
    const ticking = stepBy(30);
    const limiter = createLimiter({ name: "api", limits: [perMinute(100)], clock });
    const { registry } = instrumented(limiter, { sample: 1 });
    limiter.allow("a");
    expect((await histogramOf(registry, DURATION)).sum).toBe(0);
    ticking.step = 430;
    limiter.consume("a");
    const { sum, buckets } = await histogramOf(registry, DURATION);
    expect(sum).toBeCloseTo(400e-9, 12);
    expect(buckets.find(([, below]) => below === 2)).toEqual([4e-7, 2]);
    ticking.step = 1;
    limiter.allow("a");
    expect((await histogramOf(registry, DURATION)).sum).toBeCloseTo(400e-9, 12);
  });

  it("sees a delay in the clock, in the key function and in an observer", async () => {
    const waits: Record<string, number> = {};
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const spend = (what: string) => {
      now += waits[what] ?? 0;
    };
    const limiter = createLimiter({
      name: "api",
      key: (input: string) => {
        spend("key");
        return input;
      },
      clock: {
        now: () => {
          spend("clock");
          return START_MS;
        },
      },
      limits: [perMinute(100)],
    });
    const { registry } = instrumented(limiter, { sample: 1 });
    const stop = limiter.observe(() => spend("observer"));
    for (const verb of ["allow", "consume"] as const) {
      for (const what of ["key", "clock", "observer"]) {
        waits[what] = 1;
        limiter[verb]("a");
        waits[what] = 0;
      }
    }
    stop();
    for (const verb of ["allow", "consume"] as const) {
      for (const what of ["key", "clock"]) {
        waits[what] = 1;
        limiter[verb]("a");
        waits[what] = 0;
      }
    }
    expect((await histogramOf(registry, DURATION)).sum).toBeCloseTo(10e-3, 9);
  });

  it("times 1 in 128 calls unless told otherwise, chosen at random", async () => {
    const limiter = createLimiter({ name: "api", limits: [perSecond(1_000_000)] });
    const { registry } = instrumented(limiter);
    const every16 = new Registry();
    instrument(limiter, { registry: every16, sample: 16 });
    const other = createLimiter({ name: "other", limits: [perSecond(1_000_000)] });
    const alone = instrumented(other);
    for (let call = 0; call < 64_000; call += 1) {
      limiter.allow("a");
      other.consume("a");
    }
    // Six standard deviations from 500 and 4,000.
    for (const scraped of [registry, alone.registry]) {
      const { count } = await histogramOf(scraped, DURATION);
      expect(count).toBeGreaterThan(366);
      expect(count).toBeLessThan(634);
    }
    const { count } = await histogramOf(every16, DURATION);
    expect(count).toBeGreaterThan(3_630);
    expect(count).toBeLessThan(4_370);
  });

  it("times every call over an asynchronous store, until it is decided", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const store = new AsyncTwin();
    const limiter = createLimiter({ name: "api", limits: [perMinute(100)], clock, store });
    const { registry } = instrumented(limiter);
    const letGo = store.hold();
    const decided = [limiter.allow("a"), limiter.consume("b")];
    now += 250;
    letGo();
    await Promise.all(decided);
    expect(await histogramOf(registry, DURATION)).toMatchObject({ count: 2, sum: 0.5 });
  });

  it("has the calls of combinations, and does not time calls that throw", async () => {
    const first = createLimiter({ name: "api", limits: [perMinute(100)], clock });
    const second = createLimiter({ name: "second", limits: [perMinute(100)], clock });
    const { registry } = instrumented(first, { sample: 1 });
    combine(first, second).allow("a");
    expect(() => first.allow("a", -1)).toThrow("cost");
    expect(() => first.consume("a", -1)).toThrow("cost");
    expect((await histogramOf(registry, DURATION)).count).toBe(1);
  });

  it("adds the histograms of limiters of one name", async () => {
    const registry = new Registry();
    for (let i = 0; i < 3; i += 1) {
      const limiter = createLimiter({ name: "api", limits: [perMinute(100)], clock });
      instrument(limiter, { registry, sample: 1 });
      limiter.allow("a");
    }
    expect(await linesOf(registry, `${DURATION}_count`)).toEqual([`${DURATION}_count{limiter="api"} 3`]);
  });
});

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

  it("counts over a store whose spaces cannot look", async () => {
    const store = memoryStore();
    const { open } = store;
    const blind = Object.assign(store, {
      open: (...args: Parameters<typeof open>) => Object.assign(open.apply(store, args), { allowAndLook: undefined }),
    });
    const limiter = createLimiter({ name: "api", limits: [perMinute(10, { name: "calls" })], clock, store: blind });
    const { registry } = instrumented(limiter);
    for (let call = 0; call < 20; call += 1) limiter.allow("a");
    expect(await linesOf(registry, NEAR)).toEqual([near("calls", 2)]);
  });

  it("counts under the limit that binds", async () => {
    const limits = [perMinute(10, { name: "few" }), perMinute(100, { name: "many" })];
    const limiter = createLimiter({ name: "api", limits, clock });
    const { registry } = instrumented(limiter);
    for (let call = 0; call < 20; call += 1) limiter.allow("a");
    expect(await linesOf(registry, NEAR)).toEqual([near("few", 2)]);
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
  it("leave a limiter that decides alike, and whose calls nothing counts", async () => {
    const store = memoryStore();
    const limiter = createLimiter({ name: "api", limits: [perMinute(4, { name: "calls" })], clock, store });
    const { registry, remove } = instrumented(limiter, { sample: 1 });
    expect([limiter.allow("a"), limiter.consume("a").remaining]).toEqual([true, 2]);
    remove();
    remove();
    expect([limiter.allow("a"), limiter.consume("a").remaining, limiter.allow("a")]).toEqual([true, 0, false]);
    expect(await linesOf(registry, "rate_limit")).toEqual([]);
  });

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
