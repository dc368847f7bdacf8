import { runChild } from "../harness/child-process.ts";
import { medianColumn, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";

const THREADS = [1, 2, 4] as const;

export interface ThreadsOrder {
  readonly threads: number;
  readonly keys: number;
  readonly windowMs: number;
}

const ROWS = {
  hot: { name: "Tollgate shared, one hot key", kind: "threads", keys: 1 },
  keys: { name: "Tollgate shared, 100,000 keys, each thread in an order of its own", kind: "threads", keys: 100_000 },
  workers: { name: "Tollgate, a cluster of processes, one hot key", kind: "cluster", keys: 1 },
  cluster: { name: "rate-limiter-flexible, a cluster of processes, one hot key", kind: "cluster", keys: 1 },
} as const;

/** As in 34.8, 0.0726. */
const millions = (value: number) => value.toPrecision(3);

export const THREADS_TABLE: Table = {
  id: "threads",
  title: "Across threads: millions of decisions a second, all threads together",
  rows: Object.fromEntries(Object.entries(ROWS).map(([id, { name }]) => [id, name])),
  columns: THREADS.map((threads) =>
    medianColumn(threads === 1 ? "1 thread" : `${threads} threads`, `${threads}`, millions),
  ),
};

/** A figure's name is the number of threads. Each number has a process of its own. */
export function threadTasks(quick: boolean): Task[] {
  return Object.entries(ROWS).map(([row, { kind, keys }]): Task => {
    const measure = async () => {
      const figures: Record<string, number> = {};
      for (const threads of THREADS) {
        const order = { threads, keys, rival: row, windowMs: quick ? 100 : 300 };
        figures[threads] = await runChild<number>(kind, order);
      }
      return { [row]: figures };
    };
    return { table: THREADS_TABLE.id, rows: [row], measure };
  });
}
