import { sharedStore } from "tollgate/shared";
import { Barrier } from "../measure/barrier.ts";
import { decideInWindow } from "../measure/decide-in-window.ts";
import type { ThreadSample } from "../measure/thread-sample.ts";
import type { SharedOrder } from "../measure/worker-order.ts";
import { deciderOf, keysOf } from "./deciders.ts";
import { openLimiter } from "./open-limiter.ts";

/** A worker's part. */
export function decideShared(order: SharedOrder): ThreadSample {
  const { variant, plan, threads, thread } = order;
  const limiter = openLimiter(sharedStore.attach(order.store), variant);
  const decide = deciderOf(variant.form, limiter, thread);
  // All keys are there before the window opens.
  return decideInWindow(decide, new Barrier(order.barrier, threads), plan, keysOf(variant.form));
}
