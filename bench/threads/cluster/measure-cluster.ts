import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import { expectCount } from "../measure/expect-count.ts";
import { monotonicMs } from "../measure/monotonic.ts";
import { perSecondOf, sumOf, type ThreadSample } from "../measure/thread-sample.ts";
import type { Plan } from "../plan.ts";
import type { Order, Said } from "./messages.ts";

/** The bench runs compiled: this file is `bench/dist/threads/cluster/measure-cluster.js`. */
const WORKER = fileURLToPath(new URL("../../threads-cluster-worker.js", import.meta.url));

/** This process is the primary one, which decides. */
export async function measureCluster(processes: number, plan: Plan): Promise<number> {
  // Hears the others from here on.
  void new RateLimiterClusterMaster();
  cluster.setupPrimary({ exec: WORKER, args: [] });
  const workers = Array.from({ length: processes }, () => cluster.fork());
  await Promise.all(workers.map((worker) => next(worker, "ready")));

  const warmUp = await decide(workers, plan.warmUpMs);
  const samples = await decide(workers, plan.windowMs);
  const all = [...warmUp, ...samples];
  const calls = sumOf(all, ({ callsInAll }) => callsInAll);
  expectCount(
    "calls admitted",
    sumOf(all, ({ admittedInAll }) => admittedInAll),
    calls,
  );
  const { points } = await ask(workers[0]!, { order: "tell what was consumed" }, "consumed");
  expectCount("points consumed", points, calls);
  for (const worker of workers) worker.disconnect();
  return perSecondOf(samples);
}

function decide(workers: readonly Worker[], forMs: number): Promise<ThreadSample[]> {
  const startMs = monotonicMs();
  const order: Order = { order: "decide", untilMs: startMs + forMs };
  return Promise.all(
    workers.map(async (worker) => {
      const { calls, admitted, endMs } = await ask(worker, order, "decided");
      return { startMs, endMs, calls, callsInAll: calls, admittedInAll: admitted };
    }),
  );
}

function ask<Kind extends Said["said"]>(
  worker: Worker,
  order: Order,
  kind: Kind,
): Promise<Extract<Said, { said: Kind }>> {
  const said = next(worker, kind);
  worker.send(order);
  return said;
}

/** The next of such messages; the limiter has its own besides. */
function next<Kind extends Said["said"]>(worker: Worker, kind: Kind): Promise<Extract<Said, { said: Kind }>> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error("a process of the cluster ended before it was done"));
    const hear = (message: Partial<Said>) => {
      if (message.said !== kind) return;
      worker.off("message", hear);
      worker.off("exit", fail);
      resolve(message as Extract<Said, { said: Kind }>);
    };
    worker.on("message", hear);
    worker.once("exit", fail);
  });
}
