import cluster, { type Worker } from "node:cluster";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import { serveWorkers } from "tollgate/cluster";
import { CHILD } from "../harness/child-process.ts";
import { expectCount } from "../harness/measuring.ts";
import type { Order, Reply } from "./cluster-worker.ts";
import type { ClusterFigures, ClusterOrder } from "./orders.ts";

/** Measures processes that ask this one, the primary process, which decides. */
export async function measureCluster(order: ClusterOrder): Promise<ClusterFigures> {
  const { windowMs, rival } = order;
  // From here on it receives the messages of the limiters.
  if (rival === "flexible") void new RateLimiterClusterMaster();
  else serveWorkers({ cluster });
  cluster.setupPrimary({ exec: CHILD, args: ["cluster worker", JSON.stringify(rival)] });
  const workers = Array.from({ length: order.workers }, () => cluster.fork());
  await Promise.all(workers.map(nextReply));
  const decideFor = async (ms: number): Promise<number> => {
    const replies = await Promise.all(workers.map((worker) => ask(worker, { untilMs: Date.now() + ms })));
    return replies.reduce((sum, { calls }) => sum + calls, 0);
  };
  const warmUp = await decideFor(windowMs);
  const startMs = performance.now();
  const before = process.cpuUsage();
  const calls = await decideFor(windowMs);
  const passedMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  const { points } = await ask(workers[0]!, { untilMs: 0 });
  expectCount("points consumed", points, warmUp + calls);
  for (const worker of workers) worker.disconnect();
  return { perUs: calls / passedMs / 1_000, primaryUs: (user + system) / calls };
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
