import { Registry } from "prom-client";
import { combine, createLimiter, perMinute, perSecond } from "tollgate";
import { instrument } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { EVERY_STORE, limiterOver } from "../limiter/every-store.ts";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";
import { instrumented } from "./instrumented.ts";
import { histogramOf, linesOf } from "./scrape.ts";

const clock = manualClock(START_MS);
const DURATION = "rate_limit_acquire_duration_seconds";

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
});
