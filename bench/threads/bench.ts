import type { Bound } from "../harness/bounds.ts";
import { runChild } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { medianColumn, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { ClusterFigures, ClusterOrder, ThreadsOrder } from "./orders.ts";

const THREADS = [1, 2, 4] as const;

const ROWS = {
  hot: { name: "Tollgate shared, one hot key", keys: 1 },
  keys: { name: "Tollgate shared, 100,000 keys", keys: 100_000 },
} as const;
const CLUSTERS = { tollgate: "Tollgate", flexible: "rate-limiter-flexible" } as const;

/** As in 34.8, 0.0726. */
const millions = (value: number) => value.toPrecision(3);

export const THREADS_TABLE: Table = {
  id: "threads",
  title: "Millions of decisions a second, all threads together",
  rows: Object.fromEntries(Object.entries(ROWS).map(([id, { name }]) => [id, name])),
  columns: THREADS.map((threads) =>
    medianColumn(threads === 1 ? "1 thread" : `${threads} threads`, `${threads}`, millions),
  ),
};

export const CLUSTER_TABLE: Table = {
  id: "cluster",
  title: "Millions of decisions a second, all workers of a cluster together, one hot key",
  rows: CLUSTERS,
  columns: [
    ...THREADS.map((workers) =>
      medianColumn(workers === 1 ? "1 worker" : `${workers} workers`, `${workers}`, millions),
    ),
    medianColumn("µs of the primary a decision", "primaryUs"),
  ],
};

export const CLUSTER_BOUNDS: readonly Bound[] = [
  {
    text: "two workers of a cluster, × rate-limiter-flexible",
    ...{ is: "≥", bound: 5, of: "cluster / tollgate / 2", over: "cluster / flexible / 2" },
  },
  // The primary serves all workers, so its time bounds a cluster whose workers have cores of their own.
  {
    text: "processor time of a cluster's primary, × rate-limiter-flexible",
    ...{ is: "≥", bound: 5, of: "cluster / flexible / primaryUs", over: "cluster / tollgate / primaryUs" },
  },
];

/** A figure's name is the number of threads or workers. Each number has a process of its own. */
export function threadTasks(quick: boolean): Task[] {
  const shared = Object.entries(ROWS).map(([row, { keys }]): Task => {
    const measure = async () => {
      const figures: Record<string, number> = {};
      for (const threads of THREADS) {
        const order: ThreadsOrder = { threads, keys, windowMs: quick ? 100 : 300 };
        figures[threads] = await runChild<number>("threads", order);
      }
      return { [row]: figures };
    };
    return { table: THREADS_TABLE.id, rows: [row], measure };
  });
  const clusters = (Object.keys(CLUSTERS) as (keyof typeof CLUSTERS)[]).map((row): Task => {
    const measure = async () => {
      let figures: Figures = {};
      for (const workers of THREADS) {
        // Processes need longer than threads until V8 has optimized what each of them runs.
        const order: ClusterOrder = { workers, rival: row, windowMs: quick ? 500 : 2_000 };
        const { perUs, primaryUs } = await runChild<ClusterFigures>("cluster", order);
        figures = { ...figures, [workers]: perUs, primaryUs };
      }
      return { [row]: figures };
    };
    return { table: CLUSTER_TABLE.id, rows: [row], measure };
  });
  return [...shared, ...clusters];
}
