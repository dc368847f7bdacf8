import {
  combine,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limit,
  type Limiter,
  type LocalStore,
  memoryStore,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { type ManualClock, manualClock } from "tollgate/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BOUNDED_STORES } from "./full-stores.ts";
import { randomBelow, randomWords } from "./random-words.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Secrets that are the same in every run. A table that is full to the last slot moves keys as it looks for room, and a
 * combination that finds it moved may find room that it had not found: about once in 100,000 looks at random.
 */
function dealSecrets(): void {
  const next = randomWords(7);
  vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((array) => {
    if (!(array instanceof Int32Array)) throw new Error("expected words");
    return array.map(() => next());
  });
}

const SEEDS = 150;
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

/** What a decision tells a caller who is denied. */
function answerOf(decision: Decision): unknown {
  return decision.allowed ? true : { reason: decision.reason, retryAfterMs: decision.retryAfterMs };
}

function checkDenial(decision: Decision): void {
  if (decision.allowed) return;
  expect(decision.retryAfterMs).toBeGreaterThan(0);
  expect(decision.violated.length).toBeGreaterThan(0);
  if (decision.reason === "store-full") expect(decision.retryAfterMs).toBeGreaterThanOrEqual(1_000);
}

/** Looks and then asks, again and again, with other calls in between. */
function compare(limiters: readonly Limiter[], clock: ManualClock, below: Below): void {
  for (let call = 0; call < CALLS; call += 1) {
    const limiter = pick(limiters, below);
    const key = `key-${below(12)}`;
    const cost = pick([0, 1, 1, 1, 2, 3], below);
    const peeked = limiter.peek(key, cost);
    const consumed = limiter.consume(key, cost);
    expect([limiter.name, call, key, cost, answerOf(peeked)]).toEqual([
      limiter.name,
      call,
      key,
      cost,
      answerOf(consumed),
    ]);
    for (const decision of [peeked, consumed, pick(limiters, below).charge(`key-${below(20)}`, 1)])
      checkDenial(decision);
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

describe.each(BOUNDED_STORES)("in a $kind store that is full", ({ kind, create }) => {
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

  it.each(["share", "deny"] as const)("peek says what consume does, and denials say when to return: %s", (overflow) => {
    dealSecrets();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const below = randomBelow(seed);
      const clock = manualClock(1_790_000_000_123);
      // Some are short of bytes, not of keys. One plan takes some 7,000, and there are about fifteen.
      const maxBytes = 65_536 + 4_096 * below(24);
      const room = below(2) === 0 ? { maxKeys: 1 + below(6) } : { maxKeys: kind === "memory" ? 10_000 : 6, maxBytes };
      const limiters = limitersOf(create({ ...room, overflow }), clock, below);
      compare(limiters, clock, below);
    }
  });
});

describe("one limiter over a shared store that is full", () => {
  it.each(["share", "deny"] as const)("peeks as it consumes, and says when to return: %s", (overflow) => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const below = randomBelow(seed);
      const clock = manualClock(1_790_000_000_123);
      const store = sharedStore({ maxKeys: 1, maxBytes: 2 ** 24, overflow });
      const limiters = LISTS.map((limits, i) => createLimiter({ name: `fixed-${i}`, limits, clock, store }));
      // The 32 slots that there are for keys of one cell.
      for (let i = 0; i < 40; i += 1) limiters[0]?.charge(`filler-${i}`, 1_000);
      compare(limiters, clock, below);
    }
  });
});

describe("a combination of limiters with one slot left", () => {
  it.each([
    ["memory", () => memoryStore({ maxKeys: 10, overflow: "deny" }), 9],
    ["table", () => tableStore({ maxKeys: 1, overflow: "deny" }), 7],
  ])("is denied by the second when it is looked at, too: %s", (_kind, create, fillers) => {
    const clock = manualClock(1_790_000_000_123);
    const store = create();
    const make = (name: string) => createLimiter({ name, limits: [perMinute(2)], clock, store });
    const filler = make("filler");
    for (let i = 0; i < fillers; i += 1) filler.charge(`filler-${i}`, 9);
    const both = combine(make("first"), make("second"));
    const expected = { allowed: false, reason: "store-full", limiter: "second", retryAfterMs: 1_000 };
    expect(both.peek("new")).toMatchObject(expected);
    expect(store.size).toBe(fillers);
    expect(both.consume("new")).toMatchObject({ ...expected, violated: [{ name: "2-per-1m" }] });
    expect(store.size).toBe(fillers);
  });
});
