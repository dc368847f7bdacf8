import { type Figure, type Ratio, ratioOf } from "../harness/figures.ts";
import { runRounds } from "../harness/rounds.ts";
import { type JobTask, jobTasks } from "../process/bench.ts";
import type { TableId } from "../process/jobs.ts";
import * as ratios from "../process/ratios.ts";
import type { Ratios } from "./settle.ts";

/** The ratios that must not fall, by their names in `recorded.json`. More is better in each. */
export const GUARDED: Readonly<Record<string, Ratio>> = {
  ...allow("hot"),
  ...allow("thousand"),
  ...allow("million"),
  "denied-hot, over rate-limiter-flexible": ratios.allowOverFlexible("denied-hot", "per call"),
  "denied-thousand, over rate-limiter-flexible": ratios.allowOverFlexible("denied-thousand", "per call"),
  "thousand, two limits, memory, one over two": ratios.twoLimitsOverOne("thousand", "memory"),
  "thousand, two limits, table, one over two": ratios.twoLimitsOverOne("thousand", "table"),
  "million, handle, over the fastest rival": ratios.HANDLE_OVER_FASTEST_RIVAL,
  "million, batch, over the fastest rival": ratios.BATCH_OVER_FASTEST_RIVAL,
  "hot, handle, table over shared, coarse": ratios.tableOverShared("hot", "handles"),
  "thousand, table over shared, coarse": ratios.tableOverShared("thousand", "keys"),
  "bytes a key, memory, over rate-limiter-flexible": bytes("memory"),
  "bytes a key, table, over rate-limiter-flexible": bytes("table"),
};

function allow(table: TableId): Record<string, Ratio> {
  return {
    [`${table}, over the fastest rival`]: ratios.allowOverFastestRival(table, "per call"),
    [`${table}, over the fastest rival, coarse`]: ratios.allowOverFastestRival(table, "coarse"),
    [`${table}, over rate-limiter-flexible`]: ratios.allowOverFlexible(table, "per call"),
    [`${table}, over rate-limiter-flexible, coarse`]: ratios.allowOverFlexible(table, "coarse"),
  };
}

function bytes(store: string): Ratio {
  return { of: ratios.weightOf("bytesPerKey", "rate-limiter-flexible"), over: ratios.weightOf("bytesPerKey", store) };
}

function figuresOf({ of, over }: Ratio): Figure[] {
  return over === undefined ? [of] : [of, over];
}

const GUARDED_TABLES = new Set(Object.values(GUARDED).flatMap((ratio) => figuresOf(ratio).map(({ table }) => table)));

/** The tasks that these ratios need, with half of the decisions and without the tables that no ratio needs. */
export function tasksFor(compared: readonly Ratio[]): JobTask[] {
  const figures = compared.flatMap(figuresOf);
  const tasks = jobTasks((job) => {
    const passes = Object.entries(job.passes).filter(([table]) => GUARDED_TABLES.has(table));
    return { ...job, passes: Object.fromEntries(passes), chunks: job.chunks / 2 };
  });
  return tasks.filter(({ entry, job }) =>
    figures.some(({ table, rows }) => {
      const measures = table === "weight" ? job.weighs : table in job.passes;
      return measures && rows.includes(entry.id);
    }),
  );
}

/**
 * Measures these guarded ratios within one run.
 *
 * @throws Error when a row failed: without one of the rivals, another may be the fastest.
 */
export async function measureRatios(names: readonly string[], rounds: number): Promise<Ratios> {
  const chosen = Object.entries(GUARDED).filter(([name]) => names.includes(name));
  const { samples, misses } = await runRounds(tasksFor(chosen.map(([, ratio]) => ratio)), rounds, console.log);
  if (misses.length > 0)
    throw new Error(misses.map(({ name, kind, reason }) => `${name} ${kind}: ${reason}`).join("\n"));
  const values = chosen.map(([name, ratio]) => [name, ratioOf(ratio, samples, "of medians")?.median] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
