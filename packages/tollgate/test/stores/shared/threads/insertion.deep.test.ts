import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { limiterOver, sharedStore } from "./library.ts";
import { PLANS } from "./plans.ts";

const KEYS = 20_000;
const WORKERS = 4;

describe.each(PLANS)("four threads that insert the same new keys, with $name", ({ limits }) => {
  it.each([
    { name: "in a table with slots for all keys", maxKeys: KEYS },
    // Threads often compete for the last slot of a key.
    { name: "in a table without slots for some keys", maxKeys: 10_000 },
  ])("admit the one unit of each key once, $name", async ({ maxKeys }) => {
    const store = sharedStore({ maxKeys, maxBytes: 2 ** 25 });
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const job = { job: "insert.mjs", limits: limits(1), parameters: { keys: KEYS, workers: WORKERS, arrived } };
    const got = await together<number[]>(store, [job, job, job, job]);
    expect(got.filter((keys) => keys.length > 0).length).toBeGreaterThan(1);
    const units = new Uint8Array(KEYS);
    for (const key of got.flat()) units[key]! += 1;
    const limiter = limiterOver(store, limits(1));
    const left = units.filter((_, key) => limiter.peek(`new ${key}`).allowed).length;
    const withoutSlot = KEYS - store.size;
    // By the store's secret: 175 with a standard deviation of 15.
    expect(withoutSlot).toBeLessThan(maxKeys === KEYS ? 1 : KEYS / 75);
    // Keys without a slot share the unit of a bucket: some get none, but no key gets more than one.
    expect(units.filter((count) => count === 0).length).toBeLessThanOrEqual(withoutSlot);
    expect(units.filter((count) => count > 1).length).toBe(0);
    expect([left, store.overflowCount]).toEqual([0, WORKERS * withoutSlot]);
  });
});
