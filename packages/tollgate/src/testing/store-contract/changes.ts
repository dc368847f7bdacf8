import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perHour, perMinute, perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { type AnyLimiter, admittedOf, type Bench, type ContractTests, randomBelow, same } from "./contract-case.ts";

const name = "calls";
const bucket = (capacity: number, seconds = 10): Limit =>
  tokenBucket({ name, capacity, refill: capacity, per: `${seconds}s` });
const sliding = (limit: number): Limit => slidingWindow({ name, limit, window: "10s" });
const fixed = (limit: number): Limit => fixedWindow({ name, limit, window: "10s", anchor: "first-use" });

const LISTS: readonly (readonly Limit[])[] = [
  [bucket(6)],
  [bucket(9, 7)],
  [perSecond(4, { name: "burst" }), sliding(7)],
  [slidingWindow({ name, limit: 11, window: "10s", resolution: "3s" })],
  [fixedWindow({ name, limit: 8, window: "2s" }), perMinute(60, { name: "long", mode: "shadow" })],
  [fixedWindow({ name, limit: 5, window: "2s", anchor: "first-use" }), perSecond(5, { name: "burst", mode: "shadow" })],
  [tokenBucket({ name, capacity: 5, refill: 1_000_003, per: "10m", initial: "empty" })],
];
const TRACES = 30;
const CALLS = 60;

/** What a key has used when the numbers of a limit change. The names of all cases begin alike, as one group. */
export const changes: ContractTests = {
  "when limits change, a larger one gives the difference at once, and a smaller one waits for it": async (bench) => {
    for (const [kind, make] of Object.entries({ bucket, sliding, fixed })) {
      same(`${kind}: first`, await admittedOf(bench.limiter([make(10)], kind), 20, "a"), 10);
      same(`${kind}: larger`, await admittedOf(bench.limiter([make(15)], kind), 20, "a"), 5);
      const smaller = bench.limiter([make(5)], kind);
      same(`${kind}: smaller`, await admittedOf(smaller, 20, "a"), 0);
      const [status] = await smaller.explain("a");
      same(`${kind}: used and remaining`, [status?.used, status?.remaining], [15, 0]);
      const decision = await smaller.consume("a");
      bench.clock.advance((decision.allowed ? 0 : decision.retryAfterMs) - 0.001);
      same(`${kind}: a microsecond early`, await smaller.allow("a"), false);
      bench.clock.advance(0.001);
      same(`${kind}: on time`, await smaller.allow("a"), true);
    }
  },
  "when limits change, debt stays debt": async (bench) => {
    await bench.limiter([bucket(5)]).charge("a", 12);
    same("under a larger limit", await usedOf(bench.limiter([bucket(20)])), [12]);
    await bench.limiter([bucket(20)]).allow("a");
    same("under a smaller limit", await usedOf(bench.limiter([bucket(4)])), [13]);
  },
  "when limits change, another algorithm and another window length count for themselves": async (bench) => {
    const windows = [sliding(4), fixed(5), slidingWindow({ name, limit: 60, window: "1h" })];
    const limits = [bucket(3), ...windows, fixedWindow({ name, limit: 70, window: "1h" })];
    const versions = limits.map((limit) => bench.limiter([limit]));
    for (const hour of [
      [60, 70],
      [0, 0],
    ]) {
      const admitted: number[] = [];
      for (const version of versions) admitted.push(await admittedOf(version, 80, "a"));
      same("admitted", admitted, [3, 4, 5, ...hour]);
      bench.clock.advance(10_000);
    }
  },
  "when limits change, the limits that a list keeps, gains and loses keep their counts": async (bench) => {
    const before = bench.limiter([bucket(3), perHour(10, { name: "hourly" })]);
    same("admitted", await admittedOf(before, 9, "a"), 3);
    const after = bench.limiter([perHour(20, { name: "hourly" }), perSecond(9, { name: "burst" })]);
    same("without the first", await usedOf(after), [3, 0]);
    same("admitted without it", await admittedOf(after, 4, "a"), 4);
    same("with it again", await usedOf(before), [3, 7]);
    same("admitted with it", await before.allow("a"), false);
  },
  "when limits change, a peek moves nothing and agrees with the call after it": async (bench) => {
    const before = bench.limiter([slidingWindow({ name, limit: 5, window: "10s" })]);
    const after = bench.limiter([slidingWindow({ name, limit: 6, window: "10s", resolution: "5s" })]);
    await before.consume("a", 2);
    bench.clock.advance(4_000);
    await before.consume("a", 3);
    same("peeked", (await after.peek("a")).remaining, 0);
    same("explained", await usedOf(after), [5]);
    // A move would have made one group of both.
    bench.clock.advance(6_000);
    same("after the first have left", await usedOf(before), [3]);
    await before.consume("a", 2);
    const peeked = await after.peek("a");
    same("after a peek", await after.consume("a"), peeked);
  },
  "when limits change, first numbers hold until the key is idle or reset": async (bench) => {
    const before = bench.limiter([bucket(3)], "kept", "keep-first");
    const after = bench.limiter([bucket(9)], "kept", "keep-first");
    await before.consume("a", 2);
    same("the limit that decided", (await after.consume("a")).limit, bucket(3));
    same("beyond the first numbers", await after.allow("a"), false);
    same("capacity", (await after.explain("a"))[0]?.capacity, 3);
    await after.reset("a");
    same("after a reset", (await after.consume("a")).remaining, 8);
    bench.clock.advance(10_000);
    same("after an idle time", (await before.consume("a")).remaining, 2);
  },
  "when limits change, separate limits, derived names and other units begin anew": async (bench) => {
    await admittedOf(bench.limiter([bucket(5)]), 9, "a");
    same("separate", await admittedOf(bench.limiter([bucket(6)], "contract", "separate"), 9, "a"), 6);
    const tokens = tokenBucket({ name, unit: "tokens", capacity: 7, refill: 7, per: "10s" });
    same("another unit", await admittedOf(bench.limiter([tokens]), 9, "a"), 7);
    await admittedOf(bench.limiter([perMinute(3)]), 9, "a");
    same("derived names", await admittedOf(bench.limiter([perMinute(4)]), 9, "a"), 4);
  },
  "when limits change, random traces agree with the memory store in every figure": async (bench) => {
    for (let trace = 0; trace < TRACES; trace += 1) await followChanges(bench, trace);
  },
};

async function usedOf(limiter: AnyLimiter): Promise<number[]> {
  return (await limiter.explain("a")).map(({ used }) => used);
}

/** Two versions of a limiter and one that keeps the first numbers, which random calls alternate between. */
async function followChanges(bench: Bench, seed: number): Promise<void> {
  const below = randomBelow(seed);
  const keepsFirst = below(3) === 0;
  const [limiters, references] = bench.versions(
    Array.from({ length: 3 }, () => LISTS[below(LISTS.length)]!),
    `trace-${seed}`,
    keepsFirst ? "keep-first" : "carry-over",
  );
  for (let call = 0; call < CALLS; call += 1) {
    const version = below(3);
    const key = `key-${below(2)}`;
    const cost = below(4);
    const verb = (["consume", "consume", "peek", "explain", "charge", "refund", "reset"] as const)[below(7)]!;
    const what = `trace ${seed}, call ${call}, ${verb} ${cost} by version ${version}`;
    same(what, await limiters[version]![verb](key, cost), references[version]![verb](key, cost));
    bench.clock.advance(below(3) * below(200_000) * 0.001);
  }
}
