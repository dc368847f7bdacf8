import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import { type AnyLimiter, type Bench, type ContractTests, randomBelow, same } from "./contract-case.ts";

const TRACES = 60;
const CALLS = 40;

const LISTS: readonly (readonly Limit[])[] = [
  [perSecond(10)],
  [tokenBucket({ capacity: 7, refill: 11, per: "3s" })],
  [tokenBucket({ capacity: 100, refill: 1_000_003, per: "1m" })],
  [tokenBucket({ capacity: 3, refill: 1, per: "1s", initial: "empty" })],
  [slidingWindow({ limit: 10, window: "2s" })],
  [slidingWindow({ limit: 1_000, window: "2s", resolution: "300ms" })],
  [fixedWindow({ limit: 8, window: "2s" }), perSecond(20, { mode: "shadow" })],
  [
    fixedWindow({ limit: 8, window: "2s", anchor: "first-use" }),
    slidingWindow({ limit: 9, window: "3s" }),
    perSecond(9),
  ],
];

/** Compares random traces, the same in every run, with the memory store. */
export const twin: ContractTests = {
  "random traces agree with the memory store in every figure": async (bench) => {
    for (let trace = 0; trace < TRACES; trace += 1) {
      const limits = LISTS[trace % LISTS.length]!;
      const name = `trace-${trace}`;
      await follow(bench, trace, bench.limiter(limits, name), bench.reference(limits, name));
    }
  },
};

async function follow(bench: Bench, seed: number, limiter: AnyLimiter, reference: Limiter<Key>): Promise<void> {
  const below = randomBelow(seed);
  for (let call = 0; call < CALLS; call += 1) {
    const key = `key-${below(3)}`;
    const cost = below(5);
    const what = `trace ${seed}, call ${call}`;
    const verb = (["consume", "consume", "consume", "peek", "explain", "charge", "refund"] as const)[below(7)]!;
    same(`${what}, ${verb} ${cost}`, await limiter[verb](key, cost), reference[verb](key, cost));
    bench.clock.advance(below(3) * below(200_000) * 0.001);
    const denied = reference.peek(key, cost);
    const waits = !denied.allowed && Number.isFinite(denied.retryAfterMs) && below(2) === 0;
    if (waits) bench.clock.advance(denied.retryAfterMs);
  }
}
