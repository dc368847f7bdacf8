import { WorkerProcess } from "../../../../../test/support/workerd.ts";

export type { WorkerProcess };

/** Starts the Worker of this folder, with its objects. */
export function startWorker(): Promise<WorkerProcess> {
  const durableObjects = { LIMITS: { className: "Limits", useSQLite: true } };
  return WorkerProcess.start(new URL("worker.js", import.meta.url), { durableObjects });
}
