import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { perSecond, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import { type AnyLimiter, type Bench, type ContractTests, randomBelow, same } from "./contract-case.ts";

/** A limiter over the store, one over the memory store, and random numbers. */
interface Pair {
  readonly bench: Bench;
  readonly limiter: AnyLimiter;
  readonly reference: Limiter<Key>;
  readonly below: (bound: number) => number;
  readonly what: string;
}

const LISTS: readonly (readonly Limit[])[] = [
  [perSecond(10)],
  [tokenBucket({ capacity: 7, refill: 11, per: "3s" }), slidingWindow({ limit: 6, window: "2s" })],
  [tokenBucket({ capacity: 100, refill: 1_000_003, per: "1m" })],
  [tokenBucket({ capacity: 3, refill: 1, per: "1s", initial: "empty" })],
  [slidingWindow({ limit: 1_000, window: "2s", resolution: "300ms" })],
  [fixedWindow({ limit: 8, window: "2s" }), perSecond(5, { mode: "shadow" })],
  [
    fixedWindow({ limit: 8, window: "2s", anchor: "first-use" }),
    slidingWindow({ limit: 9, window: "3s" }),
    perSecond(9),
  ],
];
/** Limits that most calls of a turn pass. */
const AMPLE_LISTS: readonly (readonly Limit[])[] = [
  [perSecond(20)],
  [slidingWindow({ limit: 20, window: "2s" })],
  [fixedWindow({ limit: 15, window: "1s", anchor: "first-use" }), perSecond(12)],
];
const VERBS = ["consume", "consume", "consume", "peek", "explain", "charge", "refund"] as const;
const CALLS = 250;
const BATCHES = [0, 1, 2, 63, 64, 65, 300];

/** Random calls, the same in every run, decide as over the memory store, in every figure. */
export const agreement: ContractTests = {
  "random traces agree with the memory store in every figure": forEachList(async (pair) => {
    const { bench, limiter, reference, below, what } = pair;
    for (let call = 0; call < CALLS; call += 1) {
      const key = `key-${below(3)}`;
      const cost = below(5);
      const verb = VERBS[below(VERBS.length)]!;
      same(`${what}, call ${call}, ${verb} ${cost}`, await limiter[verb](key, cost), reference[verb](key, cost));
      bench.clock.advance(below(3) * below(200_000) * 0.001);
      const { allowed, retryAfterMs } = reference.peek(key, cost);
      if (!allowed && Number.isFinite(retryAfterMs) && below(2) === 0) bench.clock.advance(retryAfterMs);
      if (call % 50 === 0) for (const one of [limiter, reference]) await one.clear();
    }
  }),
  "a handle decides as calls by its key do": forEachList(async ({ bench, limiter, reference, below, what }) => {
    // There are two handles of one key, so that one meets what the other did.
    const handles = ["a", "a", "another key, and a longer one"].map((key) => ({ key, handle: limiter.handle(key) }));
    for (let call = 0; call < CALLS; call += 1) {
      const { key, handle } = handles[below(handles.length)]!;
      const cost = below(4);
      same(`${what}, call ${call}, consume ${cost}`, await handle.consume(cost), reference.consume(key, cost));
      same(`${what}, call ${call}, allow`, await handle.allow(), reference.allow(key));
      same(`${what}, call ${call}, allow by key`, await limiter.allow("a"), reference.allow("a"));
      await limiter.allow(`stranger-${call}`);
      const event = EVENTS[below(4 * EVENTS.length)];
      if (event !== undefined) for (const one of [limiter, reference]) await event(one);
      bench.clock.advance(below(3) * below(500));
    }
  }),
  "a batch decides as calls one after another": forEachList(async ({ bench, limiter, reference, below, what }) => {
    for (const size of BATCHES) {
      const keys = Array.from({ length: size }, () => `key-${below(2 + size / 4)}`);
      const cost = 1 + below(2);
      const out = new Uint8Array(size);
      const admitted = await limiter.allowMany(keys, out, cost);
      const expected = keys.map((key) => (reference.allow(key, cost) ? 1 : 0));
      same(`${what}, a batch of ${size}`, [...out], expected);
      same(`${what}, admitted of ${size}`, admitted, expected.filter((answer) => answer === 1).length);
      bench.clock.advance(below(700));
    }
  }),
  "calls that are made together decide as calls one after another": forEachList(
    (pair) => callTogether(pair, 0),
    AMPLE_LISTS,
  ),
  "calls that are made together decide each at its own time": forEachList(
    (pair) => callTogether(pair, 10),
    AMPLE_LISTS,
  ),
};

/** Administrative calls that may come between two calls. */
const EVENTS: readonly ((limiter: AnyLimiter) => unknown)[] = [
  (limiter) => limiter.reset("a"),
  (limiter) => limiter.clear(),
  (limiter) => limiter.sweep(),
];

function forEachList(test: (pair: Pair) => Promise<void>, lists = LISTS) {
  return async (bench: Bench): Promise<void> => {
    for (const [i, limits] of lists.entries()) {
      const what = `list-${i}`;
      const [limiter, reference] = [bench.limiter(limits, what), bench.reference(limits, what)];
      await test({ bench, limiter, reference, below: randomBelow(i), what });
    }
  };
}

/**
 * Makes calls without waiting for answers, and advances the clock by less than `mostMs` after some of them. Stores may
 * join them, but each counts as if it came alone.
 */
async function callTogether({ bench, limiter, reference, below, what }: Pair, mostMs: number): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) {
    // The charge keeps keys in use. A sweep at the time of the last call could drop an idle key of an earlier call.
    for (const key of ["a", "b"]) same(`${what}, charge`, await limiter.charge(key, 10), reference.charge(key, 10));
    const decisions: unknown[] = [];
    const expected: unknown[] = [];
    for (let call = 0; call < 50; call += 1) {
      const key = ["a", "b"][below(2)]!;
      // Most calls are the same, so that a store can join them.
      const cost = below(5) === 0 ? below(4) : 1;
      const verb = ([...VERBS.filter((one) => one !== "explain"), "allow", "consume"] as const)[below(8)]!;
      decisions.push(limiter[verb](key, cost));
      expected.push(reference[verb](key, cost));
      if (mostMs > 0 && below(3) === 0) bench.clock.advance(below(mostMs));
    }
    const seen = await Promise.all(decisions);
    for (const [call, decision] of seen.entries()) same(`${what}, call ${call}`, decision, expected[call]);
    bench.clock.advance(below(1_800));
  }
}
