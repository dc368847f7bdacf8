import { combine, type Limit, type Limiter, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import type { AnyStore } from "../limiter/every-store.ts";
import type { BlockingModel } from "../reference/blocks.ts";
import { randomBelow } from "../stores/local/random-words.ts";
import type { Step } from "./change-trace-arbitrary.ts";
import { compare, Known, type Pair, pairOf, play } from "./change-traces.ts";

/** A moment in 2026. */
const START_US = 1_790_000_000_123_000;
const KEYS = ["ann", "bob", "a rather long key, of more than a few units"] as const;
const COSTS = [0, 0, 1, 1, 1, 1, 1, 2, 3, 7] as const;
const VERBS: readonly Step["verb"][] = [
  ...(["block", "unblock", "unblock", "blocked until", "reset", "sweep", "sweep"] as const),
  ...(["allow", "allow", "allow", "handle", "handle", "batch", "batch"] as const),
  ...(["consume", "consume", "consume", "consume", "consume", "consume", "peek", "peek", "charge", "charge"] as const),
];

const LADDER = { durations: ["1s", "5s", "20s"], forgetAfter: "30s" } as const;
const LISTS: Readonly<Record<string, readonly Limit[]>> = {
  bucket: [tokenBucket({ capacity: 4, refill: 2, per: "1s", blockFor: { duration: "3s", extend: true } })],
  windows: [slidingWindow({ limit: 3, window: "2s", blockFor: LADDER }), perSecond(2, { blockFor: "2s" })],
  plain: [perSecond(6)],
};

/**
 * Plays calls, blocks and advances of the clock with limiters, alone and combined, and with the model.
 *
 * @throws Error at the first operation at which they differ.
 */
export async function playBlocks(store: AnyStore, seed: number, operations: number): Promise<void> {
  const below = randomBelow(seed);
  const clock = manualClock(START_US / 1_000);
  const alone = Object.entries(LISTS).map(([name, list]) =>
    pairOf({ name: `${name}-${seed}`, list, onChange: "carry-over", isChosen: false, store, clock }, new Known()),
  );
  const pairs = [...alone, combined(alone.slice(0, 2))];
  for (let i = 0; i < operations; i += 1) {
    const nowUs = Math.round(clock.now() * 1_000);
    const waitUs = below(3) === 0 ? waitOf(below, alone, BigInt(nowUs)) : 0;
    clock.advance(waitUs / 1_000);
    const step: Step = {
      version: below(pairs.length),
      key: KEYS[below(KEYS.length)]!,
      verb: VERBS[below(VERBS.length)]!,
      cost: COSTS[below(COSTS.length)]!,
      waitUs,
      blockUs: 1 + below(below(2) === 0 ? 4_000_000 : 30_000_000),
    };
    // What is used tells whether a call that was denied has counted.
    for (const one of [step, { ...step, verb: "explain" as const }]) {
      const [expected, got] = play(pairs[step.version]!, one, BigInt(nowUs + waitUs));
      try {
        compare(one, expected, await got);
      } catch (error) {
        throw new Error(`seed ${seed}, operation ${i}: ${String(error)}`, { cause: error });
      }
    }
  }
}

function combined(pairs: readonly Pair[]): Pair {
  const limiter = combine(...(pairs.map((pair) => pair.limiter) as never[])) as Limiter;
  return { limiter, models: pairs.flatMap(({ models }) => models), handles: (key) => limiter.handle(key) };
}

/** Often the time until a block ends. */
function waitOf(below: (bound: number) => number, pairs: readonly Pair[], now: bigint): number {
  const models: readonly BlockingModel[] = pairs.flatMap((pair) => pair.models);
  const ends = models.flatMap(({ blocks }) => [...blocks.values()].map(({ untilUs }) => Number(untilUs - now)));
  const endUs = Math.min(...ends.filter((us) => us > 0));
  if (Number.isFinite(endUs) && below(4) === 0) return endUs;
  return below(4) === 0 ? below(30_000_000) : below(700_000);
}
