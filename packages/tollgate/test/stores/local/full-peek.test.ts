import {
  combine,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limit,
  type Limiter,
  type LocalStore,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { runs } from "../../properties/runs.ts";
import { BOUNDED_STORES } from "./full-stores.ts";
import { randomBelow, randomWords } from "./random-words.ts";

/**
 * Makes the stores' secrets the same in every run. A full table moves keys while it looks for a slot, and a later
 * search may then find a slot where an earlier one found none. With random secrets that happens about once in 100,000
 * searches.
 */
function fixSecrets(): void {
  const next = randomWords(7);
  vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((array) => {
    if (!(array instanceof Int32Array)) throw new Error("expected words");
    return array.map(() => next());
  });
}

/** How many random sequences of calls each store gets. */
const SEEDS = runs(10);
const CALLS = 60;

const LISTS: readonly (readonly Limit[])[] = [
  [perMinute(2)],
  [perSecond(1), perMinute(5)],
  [slidingWindow({ limit: 2, window: "1s" })],
  [fixedWindow({ limit: 3, window: "10s" }), perSecond(2, { mode: "shadow" })],
  [perMinute(3, { mode: "shadow" })],
  [tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty", idleTtl: "5s" })],
  [perMinute(2), perMinute(5, { unit: "tokens", name: "tokens" })],
];

type Below = (bound: number) => number;

function pick<Item>(items: readonly Item[], below: Below): Item {
  return items[below(items.length)]!;
}

/** The part of a decision that a peek has to predict. */
function answerOf(decision: Decision): unknown {
  return decision.allowed ? true : { reason: decision.reason, retryAfterMs: decision.retryAfterMs };
}

function checkDenial(decision: Decision): void {
  if (decision.allowed) return;
  expect(decision.retryAfterMs).toBeGreaterThan(0);
  expect(decision.violated.length).toBeGreaterThan(0);
  if (decision.reason === "store-full") expect(decision.retryAfterMs).toBeGreaterThanOrEqual(1_000);
}

/**
 * Peeks and then consumes, again and again, with other calls in between. The two agree on each limiter of `alone`. A
 * peek at several limiters of one full store may promise the last slot twice.
 */
function compare(limiters: readonly Limiter[], alone: readonly Limiter[], clock: ManualClock, below: Below): void {
  for (let call = 0; call < CALLS; call += 1) {
    const limiter = pick(limiters, below);
    const key = `key-${below(12)}`;
    const cost = pick([0, 1, 1, 1, 2, 3], below);
    const peeked = limiter.peek(key, cost);
    const consumed = limiter.consume(key, cost);
    for (const decision of [peeked, consumed, pick(limiters, below).charge(`key-${below(20)}`, 1)])
      checkDenial(decision);
    if (alone.includes(limiter))
      expect([limiter.name, call, key, cost, answerOf(peeked)]).toEqual([
        limiter.name,
        call,
        key,
        cost,
        answerOf(consumed),
      ]);
    const other = pick(limiters, below);
    const another = `key-${below(20)}`;
    [
      () => other.allow(another),
      () => other.refund(another, 1),
      () => other.reset(another),
      () => void other.sweep(),
      () => clock.advance(pick([0.001, 1, 400, 1_000, 30_000], below)),
    ][below(5)]?.();
  }
}

describe.each(BOUNDED_STORES)("a full $kind store", ({ kind, create }) => {
  function limitersOf(store: LocalStore, clock: ManualClock, below: Below): Limiter[] {
    const fixed = LISTS.map((limits, i) => createLimiter({ name: `fixed-${i}`, limits, clock, store }));
    const all = [...new Map(LISTS.flat().map((limit) => [limit.name, limit])).values()];
    const chosen = createLimiter({
      name: "chosen",
      key: (key: string) => key,
      limits: (key) => [all[key.length]!, all[key.charCodeAt(key.length - 1) % 5]!],
      clock,
      store,
    });
    const elsewhere = createLimiter({ name: "elsewhere", limits: [perMinute(3)], clock });
    const others = [pick(fixed, below), pick(fixed, below), pick(fixed, below)];
    const different = others.filter((one, i) => others.indexOf(one) === i);
    return [...fixed, chosen, combine(...different), combine(chosen, elsewhere, ...different)];
  }

  it.each(["share", "deny"] as const)(
    "answers a peek as it answers the call after it, and denials have a retry time: overflow %s",
    (overflow) => {
      fixSecrets();
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const below = randomBelow(seed);
        const clock = manualClock(1_790_000_000_123);
        // Some stores are short of bytes, not of keys. Each of about fifteen plans takes some 7,000 bytes.
        const maxBytes = 65_536 + 4_096 * below(24);
        const room = below(2) === 0 || kind === "table" ? { maxKeys: 1 + below(6) } : { maxKeys: 10_000, maxBytes };
        const limiters = limitersOf(create({ ...room, overflow }), clock, below);
        compare(limiters, limiters.slice(0, LISTS.length), clock, below);
      }
    },
  );
});

describe("a full shared store", () => {
  it.each(["share", "deny"] as const)(
    "answers one limiter's peek as the call after it, and denials have a retry time: overflow %s",
    (overflow) => {
      for (let seed = 1; seed <= SEEDS / 4; seed += 1) {
        const below = randomBelow(seed);
        const clock = manualClock(1_790_000_000_123);
        const store = sharedStore({ maxKeys: 1, maxBytes: 2 ** 24, overflow });
        const limiters = LISTS.map((limits, i) => createLimiter({ name: `fixed-${i}`, limits, clock, store }));
        // There are 32 slots for keys of one cell.
        for (let i = 0; i < 40; i += 1) limiters[0]?.charge(`filler-${i}`, 1_000);
        compare(limiters, limiters, clock, below);
      }
    },
  );
});
