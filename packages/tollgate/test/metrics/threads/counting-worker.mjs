// A worker thread that calls a limiter, which is instrumented, and posts what it has counted itself (threads.test.ts).

import { parentPort, workerData } from "node:worker_threads";
import { createLimiter, fixedWindow } from "tollgate";
import { instrument } from "tollgate/metrics";
import { sharedStore } from "tollgate/shared";

const { handle, calls, index } = workerData;
const limits = [fixedWindow({ name: "calls", limit: 100, window: "1d" })];
const limiter = createLimiter({ name: "api", limits, store: sharedStore.attach(handle) });
instrument(limiter, { registry: false, sample: 16 });

const counted = { allow: 0, deny: 0, blocked: 0, near: 0 };
const blocked = `blocked ${index}`;
limiter.block(blocked, "1h");
const taken = new Map();
for (let call = 0; call < calls; call += 1) {
  const key = call % 1_000 === 0 ? blocked : `${index} ${call % 1_009}`;
  const allowed = call % 3 === 0 ? limiter.consume(key).allowed : limiter.allow(key);
  if (allowed) taken.set(key, 1 + (taken.get(key) ?? 0));
  if (allowed) counted.allow += 1;
  else counted[key === blocked ? "blocked" : "deny"] += 1;
  if (allowed && taken.get(key) > 80) counted.near += 1;
}
parentPort.postMessage(counted);
// The thread goes on until it is terminated, as one of a server would.
parentPort.ref();
parentPort.on("message", () => {});
