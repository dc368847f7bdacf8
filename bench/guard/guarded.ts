import { type Figure, type Ratio, ratioOf } from "../harness/figures.ts";
import { runRounds } from "../harness/rounds.ts";
import { ratioAt } from "../harness/targets.ts";
import { type JobTask, jobTasks } from "../process/bench.ts";
import type { TableId } from "../process/jobs.ts";
import { allowIn, BATCH, FLEXIBLE, HANDLE, rivalsAt } from "../process/targets.ts";
import type { Ratios } from "./settle.ts";

/** The ratios that must not fall, by their names in `recorded.json`. More is better in each. */
export const GUARDED: Readonly<Record<string, Ratio>> = {
  ...allow("hot"),
  ...allow("thousand"),
  ...allow("million"),
  [`denied-hot, over ${FLEXIBLE}`]: ratioAt(`denied-hot / ${FLEXIBLE}`, allowIn("denied-hot")),
  [`denied-thousand, over ${FLEXIBLE}`]: ratioAt(`denied-thousand / ${FLEXIBLE}`, allowIn("denied-thousand")),
  "thousand, two limits, memory, one over two": ratioAt("thousand / memory", "thousand / memory-two-limits"),
  "thousand, two limits, table, one over two": ratioAt("thousand / table", "thousand / table-two-limits"),
  "million, handle, over the fastest rival": ratioAt(rivalsAt("million"), HANDLE),
  "million, batch, over the fastest rival": ratioAt(rivalsAt("million"), BATCH),
  // The table store beside the shared store, in one thread.
  "hot, handle, table over shared, coarse": ratioAt("hot / table-coarse-handles", "hot / shared-coarse-handles"),
  "thousand, table over shared, coarse": ratioAt("thousand / table-coarse", "thousand / shared-coarse"),
  ...bytes("memory"),
  ...bytes("table"),
};

function allow(table: TableId): Record<string, Ratio> {
  const rivals = [["the fastest rival", rivalsAt(table)] as const, [FLEXIBLE, `${table} / ${FLEXIBLE}`] as const];
  return Object.fromEntries(
    rivals.flatMap(([whom, theirs]) => [
      [`${table}, over ${whom}`, ratioAt(theirs, allowIn(table))],
      [`${table}, over ${whom}, coarse`, ratioAt(theirs, allowIn(table, "-coarse"))],
    ]),
  );
}

function bytes(store: string): Record<string, Ratio> {
  const ratio = ratioAt(`weight / ${FLEXIBLE} / bytesPerKey`, `weight / ${store} / bytesPerKey`);
  return { [`bytes a key, ${store}, over ${FLEXIBLE}`]: ratio };
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
      const measures = table === "weight" ? job.special === "inserting" : table in job.passes;
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
