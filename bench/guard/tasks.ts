import { CATALOG } from "../contenders/catalog.ts";
import type { Entry } from "../contenders/entry.ts";
import { allTasks, type Task } from "../orchestrate/task.ts";
import type { Figure, Ratio } from "../report/figure.ts";
import type { TableId } from "../workloads/job.ts";
import { GUARDED } from "./guarded.ts";

/** What has to be measured for these ratios, with half of the decisions. */
export function tasksFor(ratios: readonly Ratio[]): Task[] {
  const figures = ratios.flatMap(({ ours, theirs }) => [ours, theirs]);
  return REDUCED.filter((task) => figures.some((figure) => isNeeded(task, figure)));
}

const GUARDED_TABLES: ReadonlySet<TableId> = new Set(
  Object.values(GUARDED).flatMap(({ ours, theirs }) => [ours, theirs].flatMap(tablesOf)),
);

/** Made once: the samples of one task are those of one object. */
const REDUCED: readonly Task[] = allTasks(CATALOG).map(({ entry, job }) => {
  const passes = job.passes.filter(({ table }) => GUARDED_TABLES.has(table));
  return { entry, job: { ...job, passes, chunks: job.chunks / 2 } };
});

function isNeeded({ entry, job }: Task, figure: Figure): boolean {
  const isAsked = job.passes.some(({ table }) => tablesOf(figure).includes(table));
  switch (figure.of) {
    case "ns":
      return isAsked && figure.entries.includes(entry.id);
    case "fastest rival":
      return isAsked && entry.family === "rival" && keepsAll(entry, job.keys);
    case "bytesPerKey":
    case "worstStallMs":
      return job.weighs && figure.entry === entry.id;
    default:
      return figure satisfies never;
  }
}

function keepsAll(entry: Entry, keys: number): boolean {
  return entry.runs === "natively" || entry.keeps === undefined || entry.keeps >= keys;
}

function tablesOf(figure: Figure): TableId[] {
  return "table" in figure ? [figure.table] : [];
}
