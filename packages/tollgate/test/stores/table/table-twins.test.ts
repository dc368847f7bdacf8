import fc from "fast-check";
import {
  createLimiter,
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
import { tableStore } from "tollgate/table";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_123;
const KEYS = 24;
const STEPS_MS = [0, 1, 250, 1_000, 4_000, 30_000, 3_600_000, 500];

/** Limiters of several widths. Those of one name share their keys, and the last of them has a clock that is ahead. */
const LIMITERS: readonly (readonly [name: string, limits: readonly Limit[], aheadMs: number])[] = [
  ["one", [perMinute(3)], 0],
  ["two", [perSecond(2)], 0],
  ["wide", [slidingWindow({ limit: 3, window: "4s" })], 0],
  ["pair", [perMinute(3), fixedWindow({ limit: 5, window: "1m" })], 0],
  ["empty", [tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty", idleTtl: "5s" })], 0],
  ["elsewhere", [perSecond(1)], 7_000],
  ["one", [perMinute(3)], 90_000],
];

type Verb = "allow" | "consume" | "charge" | "refund" | "peek" | "explain" | "reset" | "many" | "sweep" | "clear";

/** The index of the limiter that is called, or whose clock advances. */
type Step = readonly [verb: Verb | "wait", limiter: number, key: number, number: number];

const weights: readonly (readonly [Verb | "wait", number])[] = [
  ["allow", 12],
  ["consume", 8],
  ["wait", 4],
  ["charge", 2],
  ["peek", 2],
  ["reset", 4],
  ["refund", 1],
  ["explain", 1],
  ["many", 2],
  ["sweep", 1],
  ["clear", 1],
];

const steps = fc.array(
  fc.tuple(
    fc.oneof(...weights.map(([verb, weight]) => ({ arbitrary: fc.constant(verb), weight }))),
    fc.nat(LIMITERS.length - 1),
    fc.nat(KEYS - 1),
    fc.nat(7),
  ),
  { minLength: 1, maxLength: 300, size: "max" },
);

/** The limiters over one store, with clocks of their own. */
class World {
  readonly store: LocalStore;
  readonly clocks: ManualClock[] = LIMITERS.map(([, , aheadMs]) => manualClock(START_MS + aheadMs));
  readonly limiters: Limiter[];

  constructor(store: LocalStore) {
    this.store = store;
    this.limiters = LIMITERS.map(([name, limits], i) => createLimiter({ name, limits, clock: this.clocks[i]!, store }));
  }

  /** Plays a step and returns its result. */
  play([verb, index, number, cost]: Step): unknown {
    const limiter = this.limiters[index]!;
    const key = `key-${number}`;
    // Both limiters of this name peek, so that the store knows both clocks and does not use the later one alone.
    if (limiter.name === "one") for (const one of [this.limiters.at(0), this.limiters.at(-1)]) one?.peek(key);
    switch (verb) {
      case "wait":
        this.clocks[index]!.advance(STEPS_MS[cost]!);
        // Most clocks advance together.
        if (number > 2) for (const clock of this.clocks) clock.advance(STEPS_MS[cost]!);
        return "waited";
      case "many": {
        const out = new Uint8Array(4);
        return [limiter.allowMany([key, "key-1", key, "key-2"], out), ...out];
      }
      case "allow":
      case "consume":
      case "charge":
        return limiter[verb](key, cost % 4);
      case "peek":
        // A peek may report an overflow bucket. Its state is that of a new key.
        return { ...limiter.peek(key, cost % 4), overflowed: undefined };
      case "explain":
        return limiter.explain(key);
      case "refund":
        limiter.refund(key, cost % 4);
        return "refunded";
      case "reset":
        limiter.reset(key);
        return "reset";
      case "sweep": {
        const before = limiter.size;
        const swept = limiter.sweep();
        if (before - swept !== limiter.size) throw new Error(`of ${before} keys ${swept} swept, ${limiter.size} left`);
        // A table sweeps by the earliest clock of all its limiters, and either store may have dropped idle keys before.
        return "swept";
      }
      case "clear":
        if (number < 4) limiter.clear();
        return "perhaps cleared";
      default:
        return verb satisfies never;
    }
  }

  /** Whether the key of a step would get an overflow bucket. */
  lacksCapacity([, index, number]: Step): boolean {
    return this.limiters[index]!.peek(`key-${number}`, 0).overflowed === true;
  }

  /** How many keys all limiters have; those of one name count once. */
  get total(): number {
    return this.limiters.slice(0, -1).reduce((sum, { size }) => sum + size, 0);
  }

  /** Drops all keys, and returns how many there were. */
  forgetAll(): number {
    let found = 0;
    for (const limiter of this.limiters) {
      for (let number = 0; number < KEYS; number += 1) {
        const before = this.store.size;
        limiter.reset(`key-${number}`);
        const gone = before - this.store.size;
        if (gone > 1) throw new Error(`${limiter.name}: key ${number} was there ${gone} times`);
        found += gone;
      }
    }
    return found;
  }
}

describe("a table", () => {
  it.each([1, 2, 3, 5, 8, 13, 20])(
    "decides like a memory store while all keys have slots: maxKeys of %d",
    (maxKeys) => {
      fc.assert(
        fc.property(steps, fc.integer({ min: 1, max: KEYS }), (trace, keys) => {
          const table = new World(tableStore({ maxKeys }));
          const memory = new World(memoryStore());
          for (const [verb, limiter, key, number] of trace) {
            const step: Step = [verb, limiter, key % keys, number];
            // A refund to a key without a slot goes to an overflow bucket, and does not raise overflowCount.
            if (verb === "refund" && table.lacksCapacity(step)) break;
            const expected = memory.play(step);
            const got = table.play(step);
            expect(table.store.size).toBe(table.total);
            if (table.store.overflowCount > 0) break;
            expect(got).toEqual(expected);
          }
          const { size } = table.store;
          expect(table.forgetAll()).toBe(size);
          expect([table.store.size, table.total]).toEqual([0, 0]);
        }),
        { numRuns: 150 },
      );
    },
  );
});
