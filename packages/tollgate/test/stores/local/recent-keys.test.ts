import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { createLimiter, fixedWindow, type Limiter, memoryStore } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, it } from "vitest";

/** The front cache is off for the first 64 calls, and adapts after every 1,024 calls from then on. */
const CALLS_TO_WAKE_UP = 1_100;
const LIMIT = 1_000_000;

/** Keys that get the same place in the cache at first: it depends on the length and five units, mostly the last. */
const CROWDS: Readonly<Record<string, readonly string[]>> = {
  "keys that differ only in the middle": Array.from(
    { length: 40 },
    (_, i) => `client-${String(i).padStart(4, "0")}-number`,
  ),
  "keys that differ only in their first unit": Array.from(
    { length: 40 },
    (_, i) => `${String.fromCharCode(65 + i)}lient-number`,
  ),
  "keys that differ only above the lower byte": Array.from(
    { length: 40 },
    (_, i) => `key ${String.fromCharCode(256 * i + 97)}abc`,
  ),
  "keys of lengths around the shortest and the longest": [0, 1, 2, 3, 4, 5, 6, 64, 255, 256, 257, 258].map((length) =>
    "x".repeat(length),
  ),
  "prefixes of addresses": Array.from({ length: 40 }, (_, i) => `2001:db8:${i.toString(16)}::/64`),
  "long keys that differ in one unit": Array.from(
    { length: 40 },
    (_, i) => `${"x".repeat(5 * i)}y${"x".repeat(250 - 5 * i)}`,
  ),
  "lone surrogates": [
    "\ud800abcd",
    "\udc00abcd",
    "\ud801abcd",
    "abcd\ud800",
    "abcd\udc00",
    "ab\ud800\udc00cd",
    "ab\udc00\ud800cd",
  ],
  "keys that are pieces of others": ["client-number-12", "client-number-123", "lient-number-123", "client-number-1"],
  "names of what objects inherit": ["__proto__", "constructor", "toString", "hasOwnProperty"],
};

const STORES: readonly [string, () => SyncStore][] = [
  ["the memory store", () => memoryStore()],
  ["the table store", () => tableStore({ maxKeys: 10_000 })],
];

/** Counts what each key should have. */
class Tally {
  readonly #limiter: Limiter;
  readonly #counts = new Map<string, number>();

  constructor(store: SyncStore) {
    const limits = [fixedWindow({ limit: LIMIT, window: "1d" })];
    this.#limiter = createLimiter({ limits, store, clock: manualClock(1_790_000_000_123) });
  }

  take(key: string): void {
    this.#limiter.allow(key);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Calls on keys that come again and again, so that the cache wakes up. */
  wakeUp(keys: readonly string[]): void {
    for (let call = 0; call < CALLS_TO_WAKE_UP; call += 1) this.take(keys[call % keys.length] ?? "");
  }

  reset(key: string): void {
    this.#limiter.reset(key);
    this.#counts.delete(key);
  }

  clear(): void {
    this.#limiter.clear();
    this.#counts.clear();
  }

  check(): void {
    const counted = new Map([...this.#counts.keys()].map((key) => [key, this.#limiter.explain(key)[0]?.used]));
    deepStrictEqual(counted, this.#counts);
  }
}

describe.each(STORES)("%s with a cache of recent keys", (_name, createStore) => {
  it.each(Object.entries(CROWDS))("distinguishes %s", (_crowd, keys) => {
    const tally = new Tally(createStore());
    tally.wakeUp(keys);
    for (let call = 0; call < 4_000; call += 1) tally.take(keys[(call * call + (call >> 3)) % keys.length] ?? "");
    tally.check();
  });

  it("goes on counting while keys never come again, and after that", () => {
    const tally = new Tally(createStore());
    const few = Array.from({ length: 20 }, (_, i) => `client-number-${i}`);
    tally.wakeUp(few);
    for (let i = 0; i < 8_000; i += 1) tally.take(`once-${i}`);
    // The cache rests for 131,072 calls.
    for (let call = 0; call < 136_000; call += 1) tally.take(few[call % few.length] ?? "");
    for (const key of few) tally.reset(key);
    for (let call = 0; call < 3_000; call += 1) tally.take(few[call % few.length] ?? "");
    tally.check();
  });

  it("counts random keys in random order, with resets in between", () => {
    const all = Object.values(CROWDS).flat();
    const step = fc.record({
      does: fc.constantFrom("take", "take", "take", "take", "again", "again", "reset"),
      which: fc.nat({ max: all.length - 1 }),
    });
    const play = fc.property(fc.array(step, { minLength: 200, maxLength: 600, size: "max" }), (steps) => {
      const tally = new Tally(createStore());
      tally.wakeUp(all.slice(0, 30));
      for (const { does, which } of steps) {
        const key = all[which] ?? "";
        if (does === "reset") tally.reset(key);
        else for (let times = does === "again" ? 12 : 1; times > 0; times -= 1) tally.take(key);
      }
      tally.check();
    });
    fc.assert(play, { numRuns: 25, seed: 1 });
  });
});
