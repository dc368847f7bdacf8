import type { Entry } from "../contenders/entry.ts";
import type { Measurements } from "../measure/measurements.ts";
import { type Finished, nameOf, type Task } from "../orchestrate/task.ts";
import { TABLES } from "../workloads/job.ts";
import type { Miss, Results, Row, Table, WeightRow } from "./results.ts";
import { type Spread, spreadOf } from "./spread.ts";

interface Measured {
  readonly task: Task;
  readonly rounds: readonly Measurements[];
}

/** Brings the rounds of all tasks together, in the order of the catalog. */
export function summarize(finished: readonly Finished[], catalog: readonly Entry[]): Results {
  const measured = measuredTasks(finished, catalog);
  const tables = TABLES.map(
    ({ id, title }): Table => ({ id, title, rows: measured.flatMap((one) => rowsOf(one, id)) }),
  );
  return {
    tables: tables.filter(({ rows }) => rows.length > 0),
    weights: measured.flatMap(weightsOf),
    misses: finished.flatMap(missesOf),
  };
}

function measuredTasks(finished: readonly Finished[], catalog: readonly Entry[]): Measured[] {
  const rounds = new Map<Task, Measurements[]>();
  for (const { task, outcome } of finished) {
    if (outcome.kind === "measured") rounds.set(task, [...(rounds.get(task) ?? []), outcome.measurements]);
  }
  const inOrder = [...rounds].sort(([a], [b]) => catalog.indexOf(a.entry) - catalog.indexOf(b.entry));
  return inOrder.map(([task, measurements]) => ({ task, rounds: measurements }));
}

function rowsOf({ task, rounds }: Measured, id: Table["id"]): Row[] {
  const values = rounds.flatMap(({ ns }) => ns[id] ?? []);
  return values.length === 0 ? [] : [{ ...headOf(task), ns: spreadOf(values) }];
}

function weightsOf({ task, rounds }: Measured): WeightRow[] {
  const weights = rounds.flatMap(({ weight }) => weight ?? []);
  if (weights.length === 0 || task.entry.family === "nothing") return [];
  const spread = (pick: (weight: (typeof weights)[number]) => number): Spread => spreadOf(weights.map(pick));
  return [
    {
      ...headOf(task),
      bytesPerKey: spread((weight) => weight.bytesPerKey),
      worstStallMs: spread((weight) => weight.worstStallMs),
      collectMs: spread((weight) => weight.collectMs),
    },
  ];
}

function headOf({ entry, job }: Task): Omit<Row, "ns"> {
  const keeps = entry.runs === "in Node" ? (entry.keeps ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const { id, name, options, family } = entry;
  return { entry: id, name, options, family, forgets: keeps < job.keys };
}

function missesOf({ task, outcome }: Finished): Miss[] {
  if (outcome.kind === "measured") return [];
  return [{ kind: outcome.kind, what: nameOf(task), reason: outcome.reason }];
}
