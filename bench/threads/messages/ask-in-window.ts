import type { MessagePort } from "node:worker_threads";
import { KeyPool } from "../../workloads/key-pool.ts";
import { Barrier } from "../measure/barrier.ts";
import { monotonicMs } from "../measure/monotonic.ts";
import type { ThreadSample } from "../measure/thread-sample.ts";
import type { AskerOrder } from "../measure/worker-order.ts";
import { IN_FLIGHT } from "../units.ts";

interface Answered {
  readonly calls: number;
  readonly admitted: number;
}

/** A worker's part. Answers come in the order of the questions, so nothing needs to say which one it is. */
export async function askInWindow({ plan, barrier: memory, threads, owner }: AskerOrder): Promise<ThreadSample> {
  const barrier = new Barrier(memory, threads);
  const key = new KeyPool(1).key(0);
  const warmUp = await askUntil(barrier.meet() + plan.warmUpMs, owner, key);
  const startMs = barrier.meet();
  const measured = await askUntil(startMs + plan.windowMs, owner, key);
  const endMs = monotonicMs();
  owner.close();
  return {
    startMs,
    endMs,
    calls: measured.calls,
    callsInAll: warmUp.calls + measured.calls,
    admittedInAll: warmUp.admitted + measured.admitted,
  };
}

/** Asks anew whenever an answer comes, and waits for the last ones. */
function askUntil(deadlineMs: number, owner: MessagePort, key: string): Promise<Answered> {
  return new Promise((resolve) => {
    let calls = 0;
    let admitted = 0;
    let inFlight = 0;
    const ask = () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
      owner.postMessage(key);
      inFlight += 1;
    };
    const hear = (isAdmitted: boolean) => {
      inFlight -= 1;
      calls += 1;
      if (isAdmitted) admitted += 1;
      if (monotonicMs() < deadlineMs) ask();
      if (inFlight > 0) return;
      owner.off("message", hear);
      resolve({ calls, admitted });
    };
    owner.on("message", hear);
    for (let i = 0; i < IN_FLIGHT; i += 1) ask();
  });
}
