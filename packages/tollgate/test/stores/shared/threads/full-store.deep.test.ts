import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { limiterOver, sharedStore } from "./library.ts";
import { PLANS } from "./plans.ts";

const KEYS = 5_000;
const CAPACITY = 10;
const OVERFLOW_BUCKETS = 256;
/** How often each thread calls on each key. All threads call on the same keys at the same time. */
const ROUNDS = 8;

describe.each(PLANS)("four threads and many more keys than slots, with $name", ({ limits }) => {
  it.each(["share", "deny"] as const)(
    "admit exactly the capacities of slots and buckets: overflow %s",
    async (overflow) => {
      const store = sharedStore({ maxKeys: 100, maxBytes: 2 ** 24, overflow });
      const parameters = { keys: KEYS, calls: KEYS * ROUNDS, costs: [1], step: 1 };
      const job = { job: "take.mjs", limits: limits(CAPACITY), parameters };
      const admitted = await together<Float64Array>(store, [job, job, job, job]);
      const totals = Array.from({ length: KEYS }, (_, key) => admitted.reduce((sum, units) => sum + units[key]!, 0));
      // A key that was in a bucket may have got a slot later, so this uses up all units that are left.
      const limiter = limiterOver(store, limits(CAPACITY));
      const left = totals.map((_, key) => {
        let more = 0;
        while (limiter.allow(`key ${key}`)) more += 1;
        return more;
      });
      const sum = [...totals, ...left].reduce((one, other) => one + other);
      const buckets = overflow === "share" ? OVERFLOW_BUCKETS : 0;
      expect(sum).toBe(CAPACITY * (store.size + buckets));
      expect(store.size).toBeGreaterThanOrEqual(100);
      expect(store.size).toBeLessThan(KEYS / 2);
      expect(store.overflowCount).toBeGreaterThan(KEYS);
      const most = overflow === "share" ? 2 * CAPACITY : CAPACITY;
      expect(totals.filter((units, key) => units + left[key]! > most)).toEqual([]);
    },
  );
});
