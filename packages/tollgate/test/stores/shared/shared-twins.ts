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
import { twoEnds } from "./two-ends.ts";

const START_MS = 1_790_000_000_123;
const KEYS = 8;
const STEPS_MS = [0, 0.001, 1, 250, 999, 4_000, 30_000, 61_000, 3_600_000, 90 * 86_400_000];
const STEPS_TO_AND_FRO_MS = [...STEPS_MS, -0.001, -300, -4_000, -40_000];

/** A plan of each kind that the stores treat differently. */
const LISTS: Readonly<Record<string, readonly Limit[]>> = {
  "a token bucket": [perMinute(3)],
  "a token bucket of units that are no whole microseconds": [tokenBucket({ capacity: 5, refill: 7, per: "11s" })],
  "a token bucket that starts empty": [
    tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty", idleTtl: "5s" }),
  ],
  "a token bucket in shadow mode": [perSecond(2, { mode: "shadow" })],
  "a fixed window": [fixedWindow({ limit: 3, window: "4s" })],
  "a fixed window from first use": [fixedWindow({ limit: 3, window: "4s", anchor: "first-use" })],
  "a sliding window": [slidingWindow({ limit: 3, window: "4s" })],
  "a sliding window of a few groups": [slidingWindow({ limit: 5, window: "30s", resolution: "15s" })],
  "two buckets": [perSecond(2), perMinute(5)],
  "a bucket and windows": [
    perMinute(4),
    fixedWindow({ limit: 5, window: "1m" }),
    slidingWindow({ limit: 3, window: "4s", resolution: "1s" }),
  ],
  "a bucket that starts empty and a window": [
    tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty", idleTtl: "5s" }),
    fixedWindow({ limit: 9, window: "1m" }),
  ],
  "a limit that enforces and one in shadow mode": [perMinute(4), perSecond(2, { mode: "shadow" })],
  "several units": [perMinute(3), perMinute(9, { unit: "tokens", name: "tokens" })],
};

const VERBS = ["allow", "consume", "charge", "refund", "peek", "explain", "reset", "handle", "many"] as const;
type Verb = (typeof VERBS)[number];

interface Step {
  readonly verb: Verb | "wait" | "sweep" | "clear";
  /** The index of the attachment that is called. */
  readonly end: number;
  readonly key: number;
  readonly number: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    verb: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<Step["verb"]>("allow", "consume", "handle") },
      { weight: 4, arbitrary: fc.constantFrom<Step["verb"]>(...VERBS) },
      { weight: 5, arbitrary: fc.constant<Step["verb"]>("wait") },
      { weight: 1, arbitrary: fc.constantFrom<Step["verb"]>("sweep", "clear") },
    ),
    end: fc.nat(1),
    key: fc.nat(KEYS - 1),
    number: fc.nat(99),
  }),
  { minLength: 1, maxLength: 120, size: "max" },
);

/** One limiter over each of some stores. The limiters share their keys. */
class SharedWorld {
  readonly stores: readonly LocalStore[];
  readonly clock: ManualClock = manualClock(START_MS);
  readonly #limiters: readonly Limiter[];
  readonly #setting: Setting;
  readonly #handles = new Map<string, ReturnType<Limiter["handle"]>>();

  constructor(stores: readonly LocalStore[], setting: Setting) {
    this.stores = stores;
    this.#setting = setting;
    const { limits } = setting;
    this.#limiters = stores.map((store) => createLimiter({ name: "api", limits, clock: this.clock, store }));
  }

  get sizes(): number[] {
    return [...this.stores, ...this.#limiters].map(({ size }) => size);
  }

  /** Plays a step and returns its result. */
  play({ verb, end, key: keyNumber, number }: Step): unknown {
    const limiter = this.#limiters[end]!;
    const { limits, keys, stepsMs } = this.#setting;
    const key = `key-${keyNumber % keys}`;
    const cost = number % 5;
    switch (verb) {
      case "allow":
      case "consume":
      case "charge":
      case "refund":
      case "peek":
      case "explain":
        return limiter[verb](key, cost);
      case "reset":
        return limiter.reset(key);
      case "handle": {
        const id = `${end} ${key}`;
        const handle = this.#handles.get(id) ?? limiter.handle(key);
        this.#handles.set(id, handle);
        return number % 2 === 0 ? handle.allow(cost) : handle.consume(cost);
      }
      case "many": {
        const out = new Uint8Array(4);
        return [limiter.allowMany([key, `key-${1 % keys}`, key, `key-${2 % keys}`], out, cost), ...out];
      }
      case "wait":
        return this.clock.advance(stepsMs[number % stepsMs.length]!);
      case "sweep":
        // If the clock goes back, a block's expiry and its kernels may disagree on whether the key is idle.
        if (stepsMs === STEPS_TO_AND_FRO_MS || limits.some(startsEmpty)) return [];
        // The stores may have dropped idle keys before; only the keys that are left have to be the same.
        for (const one of this.#limiters) one.sweep();
        return this.sizes;
      case "clear":
        return number < 30 ? limiter.clear() : undefined;
      default:
        return verb satisfies never;
    }
  }
}

function startsEmpty(limit: Limit): boolean {
  return limit.algorithm === "token-bucket" && limit.initial === "empty";
}

interface Setting {
  readonly limits: readonly Limit[];
  readonly keys: number;
  readonly stepsMs: readonly number[];
}

/** Compares two attachments of a shared store with another store that two limiters share. */
function agree(setting: Setting, maxKeys: number, createTwin: () => LocalStore, numRuns: number): void {
  const property = fc.property(steps, (trace) => {
    const shared = new SharedWorld(twoEnds({ maxKeys, maxBytes: 2 ** 24 }), setting);
    const twin = createTwin();
    const expected = new SharedWorld([twin, twin], setting);
    for (const step of trace) expect(shared.play(step)).toEqual(expected.play(step));
    expect(shared.stores.map(({ overflowCount }) => overflowCount)).toEqual([0, 0]);
  });
  fc.assert(property, { numRuns });
}

/** Compares decisions on random steps: `numRuns` sequences for each property. */
export function testSharedTwins(numRuns: number): void {
  describe.each(Object.entries(LISTS))("two attachments of a shared store, with %s", (_name, limits) => {
    it("decide as two limiters over one memory store do", () => {
      agree({ limits, keys: KEYS, stepsMs: STEPS_MS }, 100, () => memoryStore(), numRuns);
    });

    it("decide as two limiters over one memory store do when there are hardly more slots than keys", () => {
      agree({ limits, keys: KEYS, stepsMs: STEPS_MS }, 1, () => memoryStore(), numRuns / 2);
    });

    // With several keys the stores differ: before the clock goes back, a key may take the slot of another that is idle.
    it("decide for a single key as two limiters over one table do when the clock goes back and forth", () => {
      agree({ limits, keys: 1, stepsMs: STEPS_TO_AND_FRO_MS }, 100, () => tableStore({ maxKeys: 100 }), numRuns);
    });
  });
}
