import type { MessagePort } from "node:worker_threads";
import type { SharedStoreHandle } from "tollgate/shared";
import type { Plan } from "../plan.ts";
import type { SharedVariant } from "../row.ts";

interface Common {
  readonly plan: Plan;
  readonly barrier: SharedArrayBuffer;
  readonly threads: number;
}

export interface SharedOrder extends Common {
  readonly does: "decides";
  readonly variant: SharedVariant;
  readonly store: SharedStoreHandle;
  /** Which of the threads it is. */
  readonly thread: number;
}

export interface AskerOrder extends Common {
  readonly does: "asks";
  readonly owner: MessagePort;
}

/** What a worker thread is started for. */
export type WorkerOrder = SharedOrder | AskerOrder;
