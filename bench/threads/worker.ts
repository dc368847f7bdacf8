import { parentPort, workerData } from "node:worker_threads";
import { type SharedStoreHandle, sharedStore } from "tollgate/shared";
import type { Plan, SharedVariant } from "./rows.ts";
import { deciderOf, decideUntil, keysOf, openLimiter } from "./shared.ts";
import { Barrier, inWindow } from "./window.ts";

/** The work of one thread, which `measure.ts` starts. */
export interface WorkerOrder {
  readonly plan: Plan;
  readonly barrier: SharedArrayBuffer;
  readonly threads: number;
  readonly thread: number;
  readonly variant: SharedVariant;
  readonly store: SharedStoreHandle;
}

const { variant, plan, threads, thread, barrier, store } = workerData as WorkerOrder;
const limiter = openLimiter(sharedStore.attach(store), variant);
const decide = deciderOf(variant.form, limiter, thread);
const sample = await inWindow(plan, new Barrier(barrier, threads), (deadlineMs, phase) =>
  // The warm-up inserts all keys.
  decideUntil(deadlineMs, decide, phase === "warm-up" ? keysOf(variant.form) : 0),
);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
parentPort?.postMessage(sample);
