// A worker thread with calls that wait and places that are held, until it is terminated (gauges.deep.test.ts).

import { parentPort, workerData } from "node:worker_threads";
import { concurrency, createLimiter, fixedWindow } from "tollgate";
import { instrument } from "tollgate/metrics";
import { sharedStore } from "tollgate/shared";

const store = sharedStore.attach(workerData.handle);
const calls = createLimiter({ name: "calls", limits: [fixedWindow({ name: "daily", limit: 1, window: "1d" })], store });
const streams = createLimiter({ name: "streams", limits: [concurrency({ name: "open", max: 100, ttl: "1h" })], store });
for (const limiter of [calls, streams]) instrument(limiter, { registry: false });

const key = `thread ${workerData.index}`;
calls.allow(key);
const stop = new AbortController();
const waits = [1, 2, 3].map(() => calls.wait(key, 1, { signal: stop.signal }).catch(() => {}));
const reservations = [1, 2].map(() => streams.reserve(key));
parentPort.on("message", () => {
  stop.abort();
  for (const reservation of reservations) reservation.cancel();
  void Promise.all(waits).then(() => parentPort.postMessage("over"));
});
parentPort.postMessage("begun");
