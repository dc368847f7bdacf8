import { Worker } from "node:worker_threads";
import { sharedStore } from "tollgate/shared";
import { MANY_KEYS, type Plan, ROWS, type SharedVariant } from "./rows.ts";
import { checkAdmitted, openLimiter } from "./shared.ts";
import { Barrier, millionPerSecond, type ThreadSample } from "./window.ts";
import type { WorkerOrder } from "./worker.ts";

export type RowOrder = { readonly row: string; readonly threads: number; readonly plan: Plan };

/** Measures a row in this process. Returns millions of decisions a second of all threads together. */
export async function measureRow({ row: id, threads, plan }: RowOrder): Promise<number> {
  const row = ROWS.find((one) => one.id === id);
  switch (row?.runs) {
    case "in shared memory":
      return measureShared(row.variant, threads, plan);
    case "in a cluster":
      return (await import("./cluster.ts")).measureCluster(threads, plan);
    default:
      throw new Error(`expected the id of a row that runs in Node, got ${id}`);
  }
}

async function measureShared(variant: SharedVariant, threads: number, plan: Plan): Promise<number> {
  const store = sharedStore({ maxKeys: MANY_KEYS });
  const limiter = openLimiter(store, { clock: "per call" });
  const openedMs = store.clock.now();
  const barrier = Barrier.memory();
  const orders = Array.from({ length: threads }, (_, thread): WorkerOrder => {
    return { plan, barrier, threads, thread, variant, store: store.handle };
  });
  const samples = await Promise.all(orders.map(inThread));
  checkAdmitted(limiter, variant.form, samples, () => store.clock.now() - openedMs);
  return millionPerSecond(samples);
}

function inThread(order: WorkerOrder): Promise<ThreadSample> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: order });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("a thread ended before it returned its sample")));
  });
}
