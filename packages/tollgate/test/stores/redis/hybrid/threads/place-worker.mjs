// A worker thread with the built library: it holds places of a limit for some milliseconds each, until it is told to
// stop.
import { parentPort, workerData } from "node:worker_threads";
import { Redis } from "ioredis";

const { dist, port, prefix, handle, max, ttl, callers, gate, inUse, index, mostMs } = workerData;
const { concurrency, createLimiter } = await import(`${dist}/index.js`);
const { hybridStore } = await import(`${dist}/stores/hybrid/index.js`);
const { sharedStore } = await import(`${dist}/stores/shared/index.js`);

const WAIT_MS = 2;
const STOP = 2;

const redis = new Redis(port);
const local = handle === undefined ? {} : { local: sharedStore.attach(handle) };
const store = hybridStore({ redis, prefix, timeout: "10s", onFailure: "deny", warnings: false, ...local });
const limiter = createLimiter({ name: "fleet", limits: [concurrency({ max, ttl })], store });
await redis.ping();
parentPort.postMessage("ready");
Atomics.wait(gate, 0, 0);

async function pass(ms) {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

// Each caller counts its place after it was admitted, and until it frees it.
let admitted = 0;
async function work() {
  while (Atomics.load(gate, 0) !== STOP) {
    const reservation = await limiter.reserve("ann");
    if (reservation.decision.allowed !== true) {
      await pass(WAIT_MS);
      continue;
    }
    Atomics.add(inUse, index, 1);
    admitted += 1;
    await pass(1 + Math.random() * mostMs);
    Atomics.sub(inUse, index, 1);
    await reservation.settle(1);
  }
}

await Promise.all(Array.from({ length: callers }, work));
const stats = store.stats();
await store.close();
parentPort.postMessage({ admitted, stats });
redis.disconnect();
