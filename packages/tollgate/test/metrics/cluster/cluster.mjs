/// <reference types="node" />

// A cluster of two workers, whose primary prints the metrics of both (cluster.test.ts).

import cluster from "node:cluster";
import { AggregatorRegistry } from "prom-client";
import { createLimiter, memoryStore, perMinute } from "tollgate";
import { instrument } from "tollgate/metrics";

// The workers answer for their default registry as soon as there is one of these.
const registry = new AggregatorRegistry();

if (cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("message", resolve))));
  process.stdout.write(await registry.clusterMetrics());
  for (const worker of workers) worker.kill();
} else {
  const store = memoryStore({ warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perMinute(5, { name: "calls" })], store });
  instrument(limiter, { sample: 1, tokensOf: () => ["a"] });
  for (let call = 0; call < 4 + 2 * cluster.worker.id; call += 1) limiter.allow("a");
  limiter.allow(`of worker ${cluster.worker.id}`);
  process.send("done");
}
