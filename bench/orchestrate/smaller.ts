import type { Task } from "./task.ts";

/** The same task with an eighth of the decisions, for a quick look. */
export function smaller({ entry, job }: Task): Task {
  return { entry, job: { ...job, warmUp: job.warmUp / 4, chunks: job.chunks / 8 } };
}
