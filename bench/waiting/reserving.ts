import type { Reservation } from "tollgate";
import { runChild } from "../harness/child-process.ts";
import { KeyPool } from "../harness/keys.ts";
import { bytesInUse, expectCount } from "../harness/measuring.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import { figured, type Job, OPEN_RESERVATIONS, type Verb } from "../process/jobs.ts";
import type { JobOrder } from "../process/measure.ts";

/** The verbs that are compared, which are rows of the page, and their names there. */
export const RESERVING: ReadonlyMap<string, string> = new Map<Verb, string>([
  ["consume", "`consume`"],
  ["settle at the estimate", "`reserve`, `settle` at the estimate"],
  ["settle below it", "`reserve`, `settle` below it"],
  ["settle above it", "`reserve`, `settle` above it"],
  ["cancel", "`reserve`, `cancel`"],
  ["open", "`reserve`, `settle` below it for the oldest of 10,000"],
]);

const KEYS = 1_000;

/** One process for each verb, as in the tables of `npm run bench`. */
export function reservingTasks(change: (job: Job) => Job, options: Parameters<typeof runChild>[2]): Task[] {
  const tasks = Array.from(RESERVING.keys(), (row): Task => {
    const job = change({ ...figured("reserving", "ns", KEYS), verb: row as Verb });
    const order: JobOrder = { row: "memory", job };
    return {
      name: `reserving: ${row}`,
      group: "reserving",
      async measure() {
        const measured = await runChild<Measured[]>("process", order, options);
        return measured.map((one) => ({ ...one, row }));
      },
    };
  });
  const weigh = () => runChild<Measured[]>("open", {}, options);
  return [...tasks, { name: "reserving: bytes", group: "reserving", measure: weigh }];
}

/** Bytes of an open reservation, with its key. */
export async function weighOpen(): Promise<Measured[]> {
  const { createLimiter, tokenBucket } = await import("tollgate");
  const limiter = createLimiter({ limits: [tokenBucket({ capacity: OPEN_RESERVATIONS, refill: 1, per: "1d" })] });
  const pool = new KeyPool(KEYS);
  for (let i = 0; i < KEYS; i += 1) limiter.allow(pool.key(i));
  const open = new Array<Reservation | undefined>(OPEN_RESERVATIONS).fill(undefined);
  const before = await bytesInUse();
  for (let i = 0; i < OPEN_RESERVATIONS; i += 1) open[i] = limiter.reserve(pool.key(i % KEYS));
  const bytes = (await bytesInUse()) - before;
  expectCount("reservations", open.filter((each) => each?.decision.allowed).length, OPEN_RESERVATIONS);
  return [{ table: "reserving", row: "open", figures: { bytes: bytes / OPEN_RESERVATIONS } }];
}
