// A worker thread with the built library: it offers a load to a limiter over leases until it is told to stop.
import { parentPort, workerData } from "node:worker_threads";
import { Redis } from "ioredis";

const { dist, port, prefix, handle, capacity, perSecond, gate, admitted, index } = workerData;
const { createLimiter, perSecond: limitOf } = await import(`${dist}/index.js`);
const { hybridStore } = await import(`${dist}/stores/hybrid/index.js`);
const { sharedStore } = await import(`${dist}/stores/shared/index.js`);

const TICK_MS = 4;
const STOP = 2;

const redis = new Redis(port);
const local = handle === undefined ? {} : { local: sharedStore.attach(handle) };
const store = hybridStore({ redis, prefix, timeout: "10s", onFailure: "deny", warnings: false, ...local });
const limiter = createLimiter({ name: "fleet", limits: [limitOf(capacity)], store });
await redis.ping();
parentPort.postMessage("ready");
Atomics.wait(gate, 0, 0);

const startMs = performance.now();
const load = { offered: 0, pending: 0 };

async function call() {
  load.pending += 1;
  if ((await limiter.allow("ann")) === true) Atomics.add(admitted, index, 1);
  load.pending -= 1;
}

while (Atomics.load(gate, 0) !== STOP) {
  const due = Math.floor(((performance.now() - startMs) / 1_000) * perSecond);
  for (; load.offered < due; load.offered += 1) void call();
  await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}
while (load.pending > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
const stats = store.stats();
await store.close();
parentPort.postMessage(stats);
redis.disconnect();
