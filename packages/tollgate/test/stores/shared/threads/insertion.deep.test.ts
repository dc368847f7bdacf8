import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { limiterOver, sharedStore } from "./library.ts";
import { PLANS } from "./plans.ts";

const KEYS = 20_000;
const WORKERS = 4;

describe.each(PLANS)("keys that are new to four threads at once: $name", ({ limits }) => {
  it.each([
    { name: "in a table that has room", maxKeys: KEYS },
    // So that the last slot that a key may have is often what threads contend for.
    { name: "in a table that has none for some", maxKeys: 10_000 },
  ])("the one unit of each goes to one of them, $name", async ({ maxKeys }) => {
    const store = sharedStore({ maxKeys, maxBytes: 2 ** 25 });
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const job = { job: "insert.mjs", limits: limits(1), parameters: { keys: KEYS, workers: WORKERS, arrived } };
    const got = await together<number[]>(store, [job, job, job, job]);
    expect(got.filter((keys) => keys.length > 0).length).toBeGreaterThan(1);
    const units = new Uint8Array(KEYS);
    for (const key of got.flat()) units[key]! += 1;
    const limiter = limiterOver(store, limits(1));
    const left = units.filter((_, key) => limiter.peek(`new ${key}`).allowed).length;
    const homeless = KEYS - store.size;
    expect(homeless).toBeLessThan(maxKeys === KEYS ? 1 : KEYS / 100);
    // Whoever has no slot shares a unit with others: some such keys get none, but no key gets more than one.
    expect(units.filter((count) => count === 0).length).toBeLessThanOrEqual(homeless);
    expect(units.filter((count) => count > 1).length).toBe(0);
    expect([left, store.overflowCount]).toEqual([0, WORKERS * homeless]);
  });
});
