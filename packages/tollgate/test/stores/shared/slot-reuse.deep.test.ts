import {
  createLimiter,
  type Decision,
  fixedWindow,
  type Limit,
  memoryStore,
  perDay,
  perMinute,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { randomBelow } from "../local/random-words.ts";
import { twoEnds } from "./two-ends.ts";

/** The slots of a store for one key. */
const SLOTS = 32;
/** A slot's generation starts again after this many. */
const GENERATIONS = 1_023;
/** Stores that are filled and emptied once through all generations: each has hashes of its own. */
const STORES = 2;
/** The random calls that a shared store and a memory store get. */
const CALLS = 8_000;

/** The third item is how long it takes until a key that took two units is idle. */
const LISTS: readonly (readonly [name: string, limits: readonly Limit[], idleAfterMs: number])[] = [
  ["one cell", [perMinute(2)], 60_000],
  ["one cell at a rate that is no whole number", [tokenBucket({ capacity: 7, refill: 7, per: "11s" })], 22_000 / 7],
  ["one cell whose ticks are no fraction of a microsecond", [perDay(1001)], (2 * 86_400_000) / 1001],
  [
    "one cell whose ticks are no fraction of a microsecond, and that starts empty",
    [tokenBucket({ capacity: 4, refill: 11, per: "1m", initial: "empty", idleTtl: "9s" })],
    9_000 + (6 * 60_000) / 11,
  ],
  [
    "one cell that starts empty",
    [tokenBucket({ capacity: 4, refill: 2, per: "1s", initial: "empty", idleTtl: "9s" })],
    12_000,
  ],
  [
    "a bucket that starts empty and a window",
    [
      tokenBucket({ capacity: 4, refill: 2, per: "1s", initial: "empty", idleTtl: "9s" }),
      fixedWindow({ limit: 2, window: "1m", anchor: "first-use" }),
    ],
    69_000,
  ],
  ["a window", [fixedWindow({ limit: 2, window: "1m", anchor: "first-use" })], 60_000],
  ["a sliding window", [slidingWindow({ limit: 2, window: "30s", resolution: "15s" })], 30_000],
  ["two limits", [perMinute(2), fixedWindow({ limit: 9, window: "2m", anchor: "first-use" })], 120_000],
];

function keys(count: number, prefix = "new"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

function getsSlot(decision: Decision): boolean {
  return decision.allowed || decision.reason !== "store-full";
}

describe.each(LISTS)("a slot of a shared store, with keys of %s", (_name, limits, idleAfterMs) => {
  it.each(["old", "new"])("goes to a key of the %s limiter as soon as its own key is idle, and no earlier", (name) => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: 1, overflow: "deny", maxBytes: 2 ** 24 });
    const old = createLimiter({ name: "old", limits, clock, store });
    for (let i = 0; old.size < SLOTS; i += 1) old.charge(`filler-${i}`, 2);
    // Another attachment, which knows the old limiter only if it is the same.
    const others = createLimiter({ name, limits, clock, store: end });
    clock.advance(idleAfterMs - 5);
    expect(keys(40).filter((key) => getsSlot(others.charge(key, 1)))).toEqual([]);
    // For an attachment that does not know the limiter, keys are idle a moment later.
    clock.advance(10);
    expect(keys(12).filter((key) => !getsSlot(others.charge(key, 1)))).toEqual([]);
    expect([old.size, store.size]).toEqual([name === "old" ? SLOTS : SLOTS - 12, SLOTS]);
  });

  it("goes on counting exactly after its generations have started again", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: 1, maxBytes: 2 ** 24 });
    const here = createLimiter({ name: "api", limits, clock, store });
    const there = createLimiter({ name: "api", limits, clock, store: end });
    for (let i = 0; i < GENERATIONS + 10; i += 1) {
      there.charge("ann", 1);
      const { remaining } = here.peek("ann", 0);
      here.charge("ann", 1);
      expect([there.peek("ann", 0).remaining, store.size]).toEqual([Math.max(0, remaining! - 1), 1]);
      (i % 2 === 0 ? here : there).reset("ann");
      expect([end.size, here.size]).toEqual([0, 0]);
    }
  });

  it("never looks unused after a use, which would hide the keys behind it", () => {
    for (let round = 0; round < STORES; round += 1) {
      const [store, end] = twoEnds({ maxKeys: 1, maxBytes: 2 ** 24 });
      const options = { name: "api", limits, clock: manualClock(START_MS) };
      const here = createLimiter({ ...options, store });
      const there = createLimiter({ ...options, store: end });
      const crowd: string[] = [];
      for (const key of keys(24)) {
        if (here.peek(key).overflowed === true) continue;
        here.charge(key, 2);
        crowd.push(key);
      }
      const used = here.explain(crowd[0]!)[0]!.used;
      for (const key of crowd) {
        const others = crowd.filter((other) => other !== key);
        // Each reset and each charge start a generation.
        for (let i = 1; i <= GENERATIONS / 2 + 5; i += 1) {
          there.reset(key);
          const lost = i < GENERATIONS / 2 - 5 ? [] : others.filter((other) => there.explain(other)[0]!.used !== used);
          expect(lost).toEqual([]);
          here.charge(key, 2);
        }
      }
      expect(store.size).toBe(crowd.length);
    }
  });

  it("gives the answers of a memory store while thousands of keys come and go", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: 1, maxBytes: 2 ** 24 });
    const make = (one: typeof store | ReturnType<typeof memoryStore>) =>
      createLimiter({ name: "api", limits, clock, store: one });
    const [here, there, twin] = [make(store), make(end), make(memoryStore())];
    const below = randomBelow(7);
    for (let i = 0; i < CALLS; i += 1) {
      const one = below(2) === 0 ? here : there;
      const key = `key-${below(12)}`;
      if (below(3) === 0) for (const limiter of [one, twin]) limiter.reset(key);
      else if (one.allow(key) !== twin.allow(key)) throw new Error(`call ${i}: expected another answer`);
      if (below(50) === 0) clock.advance(below(idleAfterMs));
    }
    expect([store.overflowCount, end.overflowCount]).toEqual([0, 0]);
  });
});
