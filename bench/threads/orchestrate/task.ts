import { shuffled } from "../../workloads/random.ts";
import { type Row, THREAD_COUNTS, type ThreadCount } from "../row.ts";

/** A row with a number of threads, in a process of its own. */
export interface ThreadTask {
  readonly row: Row;
  readonly threads: ThreadCount;
}

/** What a task came to. Skipped: it cannot be measured here, which is nobody's fault. */
export type ThreadOutcome =
  | { readonly kind: "measured"; readonly perSecond: number }
  | { readonly kind: "failed" | "skipped"; readonly reason: string };

export interface FinishedTask {
  readonly task: ThreadTask;
  readonly outcome: ThreadOutcome;
}

export function nameOf({ row, threads }: ThreadTask): string {
  return `${row.group} / ${row.id} × ${threads}`;
}

/** Every row with each number of threads. */
export function allThreadTasks(rows: readonly Row[]): ThreadTask[] {
  return rows.flatMap((row) => THREAD_COUNTS.map((threads): ThreadTask => ({ row, threads })));
}

/** The tasks in the order of one round: the rows of a table side by side, in an order that differs by round. */
export function orderOfRound(tasks: readonly ThreadTask[], round: number): ThreadTask[] {
  const groups = new Map<string, ThreadTask[]>();
  for (const task of tasks) groups.set(task.row.group, [...(groups.get(task.row.group) ?? []), task]);
  return [...groups.values()].flatMap((group) => shuffled(group, round));
}
