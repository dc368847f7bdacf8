import { describe, expect, it } from "vitest";
import { type Job, type Swaps, storeWith, together } from "./crew.ts";
import { limiterOver } from "./library.ts";
import { bucket, bucketAndWindow } from "./plans.ts";

const WORKERS = 4;
const CALLS = 120_000;
const NAMES = { one: "a token bucket", two: "a token bucket and a sliding window" };

// Calls of these costs use up each capacity to the last unit.
const CASES = [
  { name: `${NAMES.one}, one hot key`, limits: bucket(200_003), keys: 1, capacity: 200_003, costs: [1] },
  { name: `${NAMES.one}, 1,000 keys`, limits: bucket(301), keys: 1_000, capacity: 301, costs: [1] },
  { name: `${NAMES.one}, costs of 1 to 5`, limits: bucket(50_003), keys: 7, capacity: 50_003, costs: [3, 1, 5, 2] },
  { name: `${NAMES.two}, one hot key`, limits: bucketAndWindow(150_007, 9), keys: 1, capacity: 150_007, costs: [1] },
  { name: `${NAMES.two}, 1,000 keys`, limits: bucketAndWindow(301, 9), keys: 1_000, capacity: 301, costs: [1] },
  {
    name: `${NAMES.two}, costs of 1 to 5`,
    limits: bucketAndWindow(50_003, 9),
    keys: 7,
    capacity: 50_003,
    costs: [3, 1, 5, 2],
  },
] as const;

/** Which memory the store has, and by which operations the workers swap in turn. */
const SWAPS: readonly { readonly name: string; readonly made: Swaps; readonly swaps: readonly Swaps[] }[] = [
  { name: "by WebAssembly", made: "WebAssembly", swaps: ["WebAssembly"] },
  { name: "by BigInt64Array", made: "BigInt64Array", swaps: ["WebAssembly", "BigInt64Array"] },
  { name: "by both", made: "WebAssembly", swaps: ["WebAssembly", "BigInt64Array"] },
];

describe.each(SWAPS)("four threads that swap $name admit exactly the capacity", ({ made, swaps }) => {
  it.each(CASES)("$name", async ({ limits, keys, capacity, costs }) => {
    const store = await storeWith(made, { maxKeys: 2_000, maxBytes: 2 ** 24 });
    expect(store.handle.memory instanceof SharedArrayBuffer).toBe(made === "BigInt64Array");
    const jobs = Array.from({ length: WORKERS }, (_, index): Job => {
      const without = swaps[index % swaps.length] === "BigInt64Array" ? ({ webAssembly: "none" } as const) : {};
      return { job: "take.mjs", limits, ...without, parameters: { keys, calls: CALLS, costs } };
    });
    const admitted = await together<Float64Array>(store, jobs);
    const totals = Array.from({ length: keys }, (_, key) => admitted.reduce((sum, units) => sum + units[key]!, 0));
    expect(totals).toEqual(totals.map(() => capacity));
    const limiter = limiterOver(store, limits);
    for (let key = 0; key < keys; key += 1) {
      expect(limiter.peek(`key ${key}`)).toMatchObject({ allowed: false, remaining: 0 });
      expect(limiter.explain(`key ${key}`).map(({ used }) => used)).toEqual(limits.map(() => capacity));
    }
    expect([store.size, store.overflowCount]).toEqual([keys, 0]);
  });
});
