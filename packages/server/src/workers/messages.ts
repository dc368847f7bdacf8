import type { LimitsState } from "../limits/limits-state.ts";
import type { LeadQuestion } from "../operations/answer-lead.ts";

/** What the primary process tells a worker. */
export type ToWorker =
  /** A question of another process, or the answer to one of this worker. */
  | { readonly type: "ask" | "answer"; readonly id: number; readonly from: string; readonly content: unknown }
  | { readonly type: "reload" }
  | { readonly type: "stop" };

/** What a worker tells the primary process. */
export type FromWorker =
  | { readonly type: "ready"; readonly url: string; readonly grpcPort: number | undefined }
  /** A question for another worker, or the answer to one, which may be the primary process's. */
  | { readonly type: "ask" | "answer"; readonly id: number; readonly to: string; readonly content: unknown }
  /** Asks for the limits that it begins with. */
  | { readonly type: "begin"; readonly id: number }
  | { readonly type: "failed"; readonly name: string; readonly message: string };

/** What the primary process is called in questions. Workers are called by their numbers. */
export const PRIMARY = "primary";

/** What the primary process asks a worker: to put limits in force, its metrics, or what its operators ask. */
export type WorkerRequest =
  | { readonly what: "follow"; readonly state: LimitsState }
  | { readonly what: "metrics" }
  | LeadQuestion;

/** Marks the processes that this service forked: another cluster may run it as a worker of its own. */
export const WORKER_ENV = "TOLLGATE_WORKER";
