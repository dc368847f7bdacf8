import assert from "node:assert/strict";
import cluster from "node:cluster";
import { once } from "node:events";
import { createLimiter, perMinute } from "tollgate";
import { clusterStore, serveWorkers } from "tollgate/cluster";

async function main() {
  if (cluster.isWorker) {
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store: clusterStore() });
    process.exit((await limiter.allow("ann")) ? 0 : 3);
  }
  const served = serveWorkers({ cluster });
  const [first] = await once(cluster.fork(), "exit");
  const [second] = await once(cluster.fork(), "exit");
  assert.deepEqual([first, second], [0, 3]);
  served.close();
}

void main();
