import type { Entry } from "../contenders/entry.ts";
import type { Measurements } from "../measure/measurements.ts";
import { JOBS, type Job } from "../workloads/job.ts";
import { shuffled } from "../workloads/random.ts";

/** A contender with a job to do, in a process of its own. */
export interface Task {
  readonly entry: Entry;
  readonly job: Job;
}

/** What a task came to. Skipped: it cannot be measured here, which is nobody's fault. */
export type Outcome =
  | { readonly kind: "measured"; readonly measurements: Measurements }
  | { readonly kind: "failed" | "skipped"; readonly reason: string };

export interface Finished {
  readonly task: Task;
  readonly outcome: Outcome;
}

export function nameOf({ entry, job }: Task): string {
  return `${job.id} / ${entry.id}`;
}

/** Every contender's jobs. */
export function allTasks(entries: readonly Entry[]): Task[] {
  return JOBS.flatMap((job) =>
    entries.filter(({ jobs }) => jobs.includes(job.id)).map((entry): Task => ({ entry, job })),
  );
}

/**
 * The tasks in the order of one round: what is compared is measured side by side, in an order that differs by round, so
 * that whatever else the machine does hits all alike.
 */
export function orderOfRound(tasks: readonly Task[], round: number): Task[] {
  const groups = new Map<string, Task[]>();
  for (const task of tasks) {
    const group = `${task.job.keys} ${task.job.limit}`;
    groups.set(group, [...(groups.get(group) ?? []), task]);
  }
  return [...groups.values()].flatMap((group) => shuffled(group, round));
}
