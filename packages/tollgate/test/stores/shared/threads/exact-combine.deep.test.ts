import { createLimiter, tokenBucket } from "tollgate";
import { expect, it } from "vitest";
import { type Job, storeWith, together } from "./crew.ts";
import { STOPPED_MS } from "./library.ts";

const WORKERS = 4;
const KEYS = 20_000;
const ROUNDS = 4;
/** The calls exhaust the second limiter, never the first. */
const CAPACITIES = [100, 7];

it("four threads that combine limiters count exactly what they admit", async () => {
  const store = await storeWith("WebAssembly", { maxKeys: 2 * KEYS, maxBytes: 2 ** 25 });
  const parameters = { keys: KEYS, rounds: ROUNDS, capacities: CAPACITIES };
  const jobs = Array.from({ length: WORKERS }, (): Job => ({ job: "combine.mjs", parameters }));
  const admitted = await together<readonly [Float64Array, Float64Array]>(store, jobs);
  const clock = { now: () => STOPPED_MS };
  for (const [i, capacity] of CAPACITIES.entries()) {
    const limits = [tokenBucket({ capacity, refill: 1, per: "1h" })];
    const limiter = createLimiter({ name: `limiter ${i}`, limits, store, clock });
    const wrong: string[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      const units = admitted.reduce((sum, each) => sum + each[i as 0 | 1][key]!, 0);
      const { used } = limiter.explain(`key ${key}`)[0]!;
      if (used !== units || units > capacity) wrong.push(`key ${key}: ${used} of ${units}`);
    }
    expect(wrong).toEqual([]);
  }
});
