import { fileURLToPath } from "node:url";
import { type Transferable, Worker } from "node:worker_threads";
import type { ThreadSample } from "./thread-sample.ts";
import type { WorkerOrder } from "./worker-order.ts";

/** The bench runs compiled: this file is `bench/dist/threads/measure/start-workers.js`. */
const WORKER = fileURLToPath(new URL("../../threads-worker.js", import.meta.url));

/** Starts a thread with each of these orders; says what they did when all are done. */
export function startWorkers(
  orders: readonly WorkerOrder[],
  transferOf: (order: WorkerOrder) => Transferable[] = () => [],
): Promise<ThreadSample[]> {
  return Promise.all(
    orders.map((order) => sampleOf(new Worker(WORKER, { workerData: order, transferList: transferOf(order) }))),
  );
}

function sampleOf(worker: Worker): Promise<ThreadSample> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("a thread ended before it said what it did")));
  });
}
