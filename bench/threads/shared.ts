import { Worker } from "node:worker_threads";
import { createLimiter, type Limit, tokenBucket } from "tollgate";
import { type SharedStoreHandle, sharedStore } from "tollgate/shared";
import { KeyPool } from "../harness/keys.ts";
import { expectCount } from "../harness/measuring.ts";
import type { ThreadsOrder } from "./orders.ts";

/** More units than all threads take. They come back more slowly than a measurement takes. */
const CAPACITY = 200_000_000;
const AMPLE: Limit = tokenBucket({ capacity: CAPACITY, refill: 1, per: "1h" });

export const LIMITER = { name: "bench", limits: [AMPLE] } as const;

export interface WorkerOrder extends ThreadsOrder {
  readonly thread: number;
  readonly store: SharedStoreHandle;
  /** Counts the threads that have warmed up. */
  readonly warm: SharedArrayBuffer;
}

export interface WorkerReply {
  readonly perMs: number;
  /** With those of the warm-up. */
  readonly calls: number;
  readonly admitted: number;
}

/**
 * Millions of decisions a second of all threads together.
 *
 * @throws Error when a call was denied, or when a key has lost more or fewer units than its calls took.
 */
export async function measureThreads(order: ThreadsOrder): Promise<number> {
  const store = sharedStore({ maxKeys: order.keys });
  const warm = new SharedArrayBuffer(4);
  const replies = await Promise.all(
    Array.from({ length: order.threads }, (_, thread) => inThread({ ...order, thread, warm, store: store.handle })),
  );
  const sumOf = (figure: keyof WorkerReply) => replies.reduce((sum, reply) => sum + reply[figure], 0);
  expectCount("calls admitted", sumOf("admitted"), sumOf("calls"));
  const limiter = createLimiter({ ...LIMITER, store });
  const pool = new KeyPool(order.keys);
  let taken = 0;
  for (let index = 0; index < pool.count; index += 1) taken += CAPACITY - limiter.peek(pool.key(index), 0).remaining!;
  expectCount("units taken", taken, sumOf("calls"));
  return sumOf("perMs") / 1_000;
}

function inThread(order: WorkerOrder): Promise<WorkerReply> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: order });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("a thread ended before it replied")));
  });
}
