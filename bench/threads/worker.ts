import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type SharedStoreHandle, sharedStore } from "tollgate/shared";
import { KeyPool } from "../harness/keys.ts";
import { monotonicMs } from "../harness/measuring.ts";
import { IN_FLIGHT, type Plan, type SharedVariant } from "./rows.ts";
import { deciderOf, decideUntil, keysOf, openLimiter } from "./shared.ts";
import { Barrier, type Counted, inWindow, type ThreadSample } from "./window.ts";

type Common = { readonly plan: Plan; readonly barrier: SharedArrayBuffer; readonly threads: number };

type Shared = { readonly variant: SharedVariant; readonly store: SharedStoreHandle; readonly thread: number };
export type SharedOrder = Common & Shared & { readonly does: "decides" };
export type AskerOrder = Common & { readonly does: "asks"; readonly owner: MessagePort };

/** The work of one worker thread, which `measure.ts` starts. */
export type WorkerOrder = SharedOrder | AskerOrder;

function decideShared({ variant, plan, threads, thread, barrier, store }: SharedOrder): Promise<ThreadSample> {
  const limiter = openLimiter(sharedStore.attach(store), variant);
  const decide = deciderOf(variant.form, limiter, thread);
  return inWindow(plan, new Barrier(barrier, threads), (deadlineMs, phase) =>
    // The warm-up inserts all keys.
    decideUntil(deadlineMs, decide, phase === "warm-up" ? keysOf(variant.form) : 0),
  );
}

async function askOwner({ plan, threads, barrier, owner }: AskerOrder): Promise<ThreadSample> {
  const key = new KeyPool(1).key(0);
  const sample = await inWindow(plan, new Barrier(barrier, threads), (deadlineMs) => askUntil(deadlineMs, owner, key));
  owner.close();
  return sample;
}

/** Asks anew with each answer, and waits for the last ones. Answers come in the order of the questions. */
function askUntil(deadlineMs: number, owner: MessagePort, key: string): Promise<Counted> {
  return new Promise((resolve) => {
    let calls = 0;
    let admitted = 0;
    let inFlight = 0;
    const ask = () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
      owner.postMessage(key);
      inFlight += 1;
    };
    const onAnswer = (isAdmitted: boolean) => {
      inFlight -= 1;
      calls += 1;
      if (isAdmitted) admitted += 1;
      if (monotonicMs() < deadlineMs) ask();
      if (inFlight > 0) return;
      owner.off("message", onAnswer);
      resolve({ calls, admitted });
    };
    owner.on("message", onAnswer);
    for (let i = 0; i < IN_FLIGHT; i += 1) ask();
  });
}

const order = workerData as WorkerOrder;
const sample = await (order.does === "decides" ? decideShared(order) : askOwner(order));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
parentPort?.postMessage(sample);
