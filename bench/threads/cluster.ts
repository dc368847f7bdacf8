import cluster, { type Worker } from "node:cluster";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import { CHILD } from "../harness/child-process.ts";
import { expectCount, monotonicMs } from "../harness/measuring.ts";
import type { Order, Reply } from "./cluster-worker.ts";
import type { Plan } from "./rows.ts";
import { expectAllAdmitted, millionPerSecond, sumOf, type ThreadSample } from "./window.ts";

/** Measures processes that ask this one, the primary process, which decides. */
export async function measureCluster(processes: number, plan: Plan): Promise<number> {
  // From here on it receives the messages of the limiters.
  void new RateLimiterClusterMaster();
  cluster.setupPrimary({ exec: CHILD, args: ["cluster"] });
  const workers = Array.from({ length: processes }, () => cluster.fork());
  await Promise.all(workers.map(nextReply));

  const warmUp = await decideFor(workers, plan.warmUpMs);
  const samples = await decideFor(workers, plan.windowMs);
  const all = [...warmUp, ...samples];
  expectAllAdmitted(all);
  // All are done: a process that only counts sees every point.
  const { points } = await ask(workers[0]!, { untilMs: 0 });
  expectCount("points consumed", points, sumOf(all, "callsInAll"));
  for (const worker of workers) worker.disconnect();
  return millionPerSecond(samples);
}

function decideFor(workers: readonly Worker[], forMs: number): Promise<ThreadSample[]> {
  const startMs = monotonicMs();
  const decide = async (worker: Worker): Promise<ThreadSample> => {
    const { calls, admitted, endMs } = await ask(worker, { untilMs: startMs + forMs });
    return { startMs, endMs, calls, callsInAll: calls, admittedInAll: admitted };
  };
  return Promise.all(workers.map(decide));
}

function ask(worker: Worker, order: Order): Promise<Reply> {
  const reply = nextReply(worker);
  worker.send(order);
  return reply;
}

/** The next reply. The library's own messages pass by here as well. */
function nextReply(worker: Worker): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("a process of the cluster ended before it was done"));
    const onMessage = (message: object) => {
      if (!("points" in message)) return;
      worker.off("message", onMessage);
      worker.off("exit", onExit);
      resolve(message as Reply);
    };
    worker.on("message", onMessage);
    worker.once("exit", onExit);
  });
}
