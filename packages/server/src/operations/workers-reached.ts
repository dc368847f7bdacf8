import type { Answer } from "./action.ts";

/** The workers of a service, by number: those that have made a change, and those that have not answered yet. */
export interface WorkersReached {
  readonly changed: readonly number[];
  readonly silent: readonly number[];
}

/** Tells which workers have the latest change of limits, when all have answered or the others took too long. */
export type Reached = () => Promise<WorkersReached | undefined>;

/** An answer that says which workers have made the change. One that is silent makes it as soon as it can. */
export function withWorkers({ body, headers }: Answer, workers: WorkersReached | undefined): Answer {
  if (workers === undefined) return { body, ...(headers !== undefined && { headers }) };
  return {
    status: workers.silent.length === 0 ? 200 : 202,
    body: { ...(body as object), workers },
    ...(headers !== undefined && { headers }),
  };
}
