import type { LimitsStatus } from "../limits/limits-files.ts";
import type { WorkerFamily } from "./merge-families.ts";

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly type: "collect"; readonly id: number }
  /** A question of another worker, or the answer to one of this worker. */
  | { readonly type: "ask" | "answer"; readonly id: number; readonly from: string; readonly content: unknown }
  | { readonly type: "reload" }
  | { readonly type: "stop" };

/** What a worker tells the primary process. */
export type FromWorker =
  | { readonly type: "ready"; readonly url: string; readonly grpcPort: number | undefined }
  /** A question for another worker, or the answer to one. */
  | { readonly type: "ask" | "answer"; readonly id: number; readonly to: string; readonly content: unknown }
  | { readonly type: "failed"; readonly name: string; readonly message: string }
  | { readonly type: "status"; readonly limits: LimitsStatus | undefined }
  | { readonly type: "collected"; readonly id: number; readonly families: readonly WorkerFamily[] };

/** Marks the processes that this service forked: another cluster may run it as a worker of its own. */
export const WORKER_ENV = "TOLLGATE_WORKER";
