import { MessageChannel, type MessagePort, type Transferable, Worker } from "node:worker_threads";
import { createLimiter, type Limiter, memoryStore } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { KeyPool } from "../harness/keys.ts";
import { expectCount } from "../harness/measuring.ts";
import { AMPLE, CAPACITY, MANY_KEYS, type Plan, ROWS, type SharedVariant } from "./rows.ts";
import { checkAdmitted, checkDenied, openLimiter } from "./shared.ts";
import { Barrier, expectAllAdmitted, millionPerSecond, sumOf, type ThreadSample } from "./window.ts";
import type { AskerOrder, SharedOrder, WorkerOrder } from "./worker.ts";

export type RowOrder = { readonly row: string; readonly threads: number; readonly plan: Plan };

/** Measures a row in this process. Returns millions of decisions a second of all threads together. */
export async function measureRow({ row: id, threads, plan }: RowOrder): Promise<number> {
  const row = ROWS.find((one) => one.id === id);
  switch (row?.runs) {
    case "in shared memory":
      return measureShared(row.variant, threads, plan);
    case "by messages":
      return measureMessages(threads, plan);
    case "in a cluster":
      return (await import("./cluster.ts")).measureCluster(threads, plan);
    default:
      throw new Error(`expected the id of a row that runs in Node, got ${id}`);
  }
}

async function measureShared(variant: SharedVariant, threads: number, plan: Plan): Promise<number> {
  const store = sharedStore({ maxKeys: MANY_KEYS });
  const limiter = openLimiter(store, { ...variant, clock: "per call" });
  const openedMs = store.clock.now();
  if (variant.limit === "exhausted") {
    expectCount("calls that exhaust the limit", Number(limiter.allow(new KeyPool(1).key(0))), 1);
  }
  const barrier = Barrier.memory();
  const orderOf = (_: unknown, thread: number): SharedOrder => {
    return { does: "decides", plan, barrier, threads, variant, store: store.handle, thread };
  };
  const samples = await startWorkers(Array.from({ length: threads }, orderOf));
  if (variant.limit === "ample") checkAdmitted(limiter, variant.form, samples, () => store.clock.now() - openedMs);
  else checkDenied(limiter, samples);
  return millionPerSecond(samples);
}

async function measureMessages(threads: number, plan: Plan): Promise<number> {
  const limiter = createLimiter({ limits: [AMPLE], store: memoryStore() });
  const barrier = Barrier.memory();
  const orderOf = (): AskerOrder => ({ does: "asks", plan, barrier, threads, owner: portTo(limiter) });
  const samples = await startWorkers(Array.from({ length: threads }, orderOf));
  expectAllAdmitted(samples);
  const units = CAPACITY - limiter.peek(new KeyPool(1).key(0), 0).remaining!;
  expectCount("units taken", units, sumOf(samples, "callsInAll"));
  return millionPerSecond(samples);
}

function portTo(limiter: Limiter): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", (key: string) => port1.postMessage(limiter.allow(key)));
  return port2;
}

function startWorkers(orders: readonly WorkerOrder[]): Promise<ThreadSample[]> {
  return Promise.all(
    orders.map((order) => {
      const transferList: Transferable[] = order.does === "asks" ? [order.owner] : [];
      const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: order, transferList });
      return new Promise<ThreadSample>((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("exit", () => reject(new Error("a thread ended before it returned its sample")));
      });
    }),
  );
}
