import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perHour, perMinute, perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { OnChange } from "../../core/plan.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { type Bench, type ContractTests, randomBelow, same } from "./contract-case.ts";
import { scenarioOf } from "./scenario.ts";

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

/** Versions of a limiter: one for each list. */
function versions(lists: readonly (readonly Limit[])[], onChange?: OnChange) {
  return (bench: Bench) => lists.map((limits) => bench.limiter(limits, "versions", onChange));
}

/** What a key has used when the numbers of a limit change. The names of all cases begin alike, as one group. */
export const changes: ContractTests = {
  "when limits change, a larger one gives the difference at once, and a smaller one waits for it": async (bench) => {
    for (const make of [bucket, sliding, fixed]) {
      const smaller = bench.limiter([make(5)], make.name);
      await scenarioOf(
        () => [bench.limiter([make(10)], make.name), bench.limiter([make(15)], make.name), smaller],
        [0, "admits 10/20, by 1, admits 5/20, by 2, admits 0/20, used 15, left 0"],
      )(bench);
      bench.clock.advance((await smaller.consume("a")).retryAfterMs - 0.001);
      same("a microsecond early", await smaller.allow("a"), false);
      bench.clock.advance(0.001);
      same("on time", await smaller.allow("a"), true);
    }
  },
  "when limits change, debt stays debt": scenarioOf(versions([[bucket(5)], [bucket(20)], [bucket(4)]]), [
    0,
    "charge 12, by 1, used 12, admits 1/1, by 2, used 13",
  ]),
  "when limits change, another algorithm and another window length count for themselves": scenarioOf(
    versions([
      [bucket(3)],
      [sliding(4)],
      [fixed(5)],
      [slidingWindow({ name, limit: 60, window: "1h" })],
      [fixedWindow({ name, limit: 70, window: "1h", anchor: "first-use" })],
    ]),
    [0, "admits 3/9, by 1, admits 4/9, by 2, admits 5/9, by 3, admits 60/80, by 4, admits 70/80"],
    [10_000, "admits 0/1, by 3, admits 0/1, by 2, admits 5/9, by 1, admits 4/9, by 0, admits 3/9"],
  ),
  "when limits change, the limits that a list keeps, gains and loses keep their counts": scenarioOf(
    versions([
      [bucket(3), perHour(10, { name: "hourly" })],
      [perHour(20, { name: "hourly" }), perSecond(9, { name: "burst" })],
    ]),
    [0, "admits 3/9, by 1, used 3 0, admits 4/4, by 0, used 3 7, admits 0/1"],
  ),
  "when limits change, a reset forgets what only its own list counts": scenarioOf(
    versions([
      [bucket(3), perHour(10, { name: "hourly" })],
      [bucket(3), perHour(10, { name: "late" })],
    ]),
    [0, "allow 2 yes, by 1, allow 1 yes, by 0, used 3 2, reset, used 0 0, by 1, used 0 1"],
  ),
  "when limits change, a peek moves nothing and agrees with the call after it": scenarioOf(
    versions([[sliding(5)], [slidingWindow({ name, limit: 6, window: "10s", resolution: "5s" })]]),
    [0, "allow 2 yes"],
    [4_000, "allow 3 yes, by 1, peek 1 remaining=0, used 5"],
    // A move would have made one group of both.
    [
      6_000,
      "by 0, used 3, allow 2 yes, by 1",
      async ({ limiter }) => {
        const peeked = await limiter.peek("a");
        same("after a peek", await limiter.consume("a"), peeked);
      },
    ],
  ),
  "when limits change, first numbers hold until the key is idle or reset": scenarioOf(
    versions([[bucket(3)], [bucket(9)]], "keep-first"),
    [0, "allow 2 yes, by 1, consume 1 limit.capacity=3, admits 0/1, left 0, reset, consume 1 remaining=8"],
    [10_000, "by 0, consume 1 remaining=2"],
  ),
  "when limits change, separate limits, derived names and other units begin anew": scenarioOf(
    (bench) => [
      bench.limiter([bucket(5)]),
      bench.limiter([bucket(6)], "contract", "separate"),
      bench.limiter([tokenBucket({ name, unit: "tokens", capacity: 7, refill: 7, per: "10s" })]),
      bench.limiter([perMinute(3)]),
      bench.limiter([perMinute(4)]),
    ],
    [0, "admits 5/9, by 1, admits 6/9, by 2, admits 7/9, by 3, admits 3/9, by 4, admits 4/9"],
  ),
  "when limits change, random traces agree with the memory store in every figure": async (bench) => {
    for (let trace = 0; trace < TRACES; trace += 1) await followChanges(bench, trace);
  },
};

/** Two versions of a limiter and one that keeps the first numbers, which random calls alternate between. */
async function followChanges(bench: Bench, seed: number): Promise<void> {
  const below = randomBelow(seed);
  const onChange = below(3) === 0 ? "keep-first" : "carry-over";
  const lists = Array.from({ length: 3 }, () => LISTS[below(LISTS.length)]!);
  const store = memoryStore();
  const limiters = lists.map((limits) => bench.limiter(limits, `trace-${seed}`, onChange));
  const references = lists.map((limits) => bench.reference(limits, `trace-${seed}`, onChange, store));
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
