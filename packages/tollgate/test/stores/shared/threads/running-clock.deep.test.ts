import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { type LimitOf, sharedStore } from "./library.ts";

const WORKERS = 4;
const TASKS = 100;
const CALLS_PER_TASK = 10_000;
const KEYS = 10;
/** The refill of a second. Calls on a key are closer together, so no bucket is full again. */
const CAPACITY = 2_000;
const PER_MS = 2;

const bucket: LimitOf = ["tokenBucket", { name: "bucket", capacity: CAPACITY, refill: 1_000 * PER_MS, per: "1s" }];
/** A limit that never denies. */
const wide: LimitOf = ["tokenBucket", { name: "wide", capacity: 1_000_000, refill: 1_000_000, per: "1s" }];

interface KeyRecord {
  readonly admitted: number;
  readonly beforeFirst: number;
  readonly afterFirstDenial: number;
  readonly beforeLastDenial: number;
  readonly afterLast: number;
}

describe("a hundred tasks in four threads, with the store's own clock", () => {
  it.each([
    { name: "a token bucket", limits: [bucket] },
    { name: "two token buckets", limits: [bucket, wide] },
  ])("admit the capacity and the refill, within one unit a key: $name", async ({ limits }) => {
    const store = sharedStore({ maxKeys: 100 });
    const done = new Int32Array(new SharedArrayBuffer(4));
    const calls = { calls: CALLS_PER_TASK, keys: KEYS };
    const parameters = { ...calls, tasks: TASKS / WORKERS, allTasks: TASKS, done };
    const job = { job: "running.mjs", limits, clock: "store", parameters } as const;
    const records = await together<KeyRecord[]>(store, [job, job, job, job]);
    for (let key = 0; key < KEYS; key += 1) {
      const all = records.map((one) => one[key]!);
      const admitted = all.reduce((sum, one) => sum + one.admitted, 0);
      const beforeFirst = Math.min(...all.map((one) => one.beforeFirst));
      const afterLast = Math.max(...all.map((one) => one.afterLast));
      expect(admitted).toBeLessThanOrEqual(CAPACITY + PER_MS * (afterLast - beforeFirst) + 1);
      // A denied call found less than a unit: the capacity and the refill since the first denial were admitted by then.
      const afterFirstDenial = Math.min(...all.map((one) => one.afterFirstDenial));
      const beforeLastDenial = Math.max(...all.map((one) => one.beforeLastDenial));
      expect(admitted).toBeGreaterThanOrEqual(CAPACITY + PER_MS * (beforeLastDenial - afterFirstDenial) - 1);
      // The bounds are meaningful only if most of the run lies between them and units were refilled.
      expect(beforeLastDenial - afterFirstDenial).toBeGreaterThan(0.5 * (afterLast - beforeFirst));
      expect(PER_MS * (afterLast - beforeFirst)).toBeGreaterThan(50);
    }
  });
});
