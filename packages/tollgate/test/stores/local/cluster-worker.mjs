/// <reference types="node" />

// A cluster of two workers (cluster-warning.test.ts). Each makes stores and limiters; the warnings go to stderr.

import { fork } from "node:child_process";
import cluster from "node:cluster";
import { createLimiter, memoryStore, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";

const limits = [perMinute(2)];
const SCENARIOS = {
  "stores, many times": () => {
    for (const _ of [1, 2, 3]) {
      for (const store of [undefined, memoryStore(), tableStore({ maxKeys: 10 }), sharedStore({ maxKeys: 10 })])
        createLimiter({ name: "api", limits, ...(store && { store }) });
    }
  },
  "memoryStore, silenced": () => createLimiter({ limits, store: memoryStore({ warnings: false }) }),
};

const [scenario, kind] = process.argv.slice(2);
if (process.env.TOLLGATE_CHILD !== undefined || cluster.isWorker) {
  SCENARIOS[scenario]();
  process.disconnect();
} else {
  // The primary's own store counts for the primary alone, as in any process.
  SCENARIOS[scenario]();
  if (kind === "cluster") for (const _ of [1, 2]) cluster.fork();
  else fork(process.argv[1], [scenario], { env: { ...process.env, TOLLGATE_CHILD: "1" } });
}
