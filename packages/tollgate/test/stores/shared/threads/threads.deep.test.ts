import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { limiterOver, sharedStore } from "./library.ts";
import { PLANS } from "./plans.ts";

const WORKERS = 4;

describe.each(PLANS)("four threads over a shared store, with $name", ({ limits }) => {
  it("insert each new key once", async () => {
    const keys = 2_000;
    const store = sharedStore({ maxKeys: keys, maxBytes: 2 ** 25 });
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const job = { job: "insert.mjs", limits: limits(1), parameters: { keys, workers: WORKERS, arrived } };
    const got = await together<number[]>(store, [job, job, job, job]);
    expect(got.flat().sort((one, other) => one - other)).toEqual(Array.from({ length: keys }, (_, key) => key));
    const limiter = limiterOver(store, limits(1));
    expect([store.size, limiter.size, store.overflowCount]).toEqual([keys, keys, 0]);
  });

  it("alternate between two numbers and admit the larger one", async () => {
    const keys = 10;
    const store = sharedStore({ maxKeys: 100, maxBytes: 2 ** 24 });
    const parameters = { keys, calls: 10_000, versions: [limits(1_000), limits(1_501)] };
    const job = { job: "alternate.mjs", parameters };
    const admitted = await together<Float64Array>(store, [job, job, job, job]);
    const totals = Array.from({ length: keys }, (_, key) => admitted.reduce((sum, units) => sum + units[key]!, 0));
    expect([...totals, store.overflowCount]).toEqual([...totals.map(() => 1_501), 0]);
    const limiter = limiterOver(store, limits(1_501));
    for (let key = 0; key < keys; key += 1) {
      expect(limiter.explain(`key ${key}`).map(({ used }) => used)).toEqual(limits(1).map(() => 1_501));
    }
    expect(store.overflowCount).toBe(0);
  });
});
