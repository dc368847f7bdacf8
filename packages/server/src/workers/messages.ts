import type { LimitsStatus } from "../limits/limits-files.ts";
import type { LimitsState } from "../limits/limits-state.ts";
import type { LeadQuestion } from "../operations/answer-lead.ts";
import type { WorkerFamily } from "./merge-families.ts";

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly type: "collect"; readonly id: number }
  /** A question of another process, or the answer to one of this worker. */
  | { readonly type: "ask" | "answer"; readonly id: number; readonly from: string; readonly content: unknown }
  | { readonly type: "reload" }
  | { readonly type: "stop" };

/** What a worker tells the primary process. */
export type FromWorker =
  | { readonly type: "ready"; readonly url: string; readonly grpcPort: number | undefined }
  /** A question for another process, or the answer to one. */
  | { readonly type: "ask" | "answer"; readonly id: number; readonly to: string; readonly content: unknown }
  | { readonly type: "failed"; readonly name: string; readonly message: string }
  | { readonly type: "status"; readonly limits: LimitsStatus | undefined }
  | { readonly type: "collected"; readonly id: number; readonly families: readonly WorkerFamily[] };

/** What the primary process is called in questions. Workers are called by their numbers. */
export const PRIMARY = "primary";

/** What a worker asks the primary process. */
export type LeadRequest =
  | { readonly what: "state" }
  | { readonly what: "piece"; readonly version: string; readonly index: number };

/** What the primary process asks a worker: to put limits in force, or for its operators. */
export type WorkerRequest = { readonly what: "follow"; readonly state: LimitsState } | LeadQuestion;

/** Marks the processes that this service forked: another cluster may run it as a worker of its own. */
export const WORKER_ENV = "TOLLGATE_WORKER";
