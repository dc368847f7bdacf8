import assert from "node:assert/strict";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { createLimiter, perHour } from "tollgate";
import { sharedStore } from "tollgate/shared";

const WORKER = `
  const { parentPort, workerData } = require("node:worker_threads");
  Promise.all([import("tollgate"), import("tollgate/shared")]).then(([{ createLimiter, perHour }, { sharedStore }]) => {
    const store = sharedStore.attach(workerData.limits);
    const limiter = createLimiter({ name: "api", limits: [perHour(2)], store });
    parentPort.postMessage([limiter.allow("ann"), limiter.allow("ann")]);
  });
`;

async function main() {
  const store = sharedStore({ maxKeys: 1_000 });
  const limiter = createLimiter({ name: "api", limits: [perHour(2)], store });
  assert.equal(limiter.allow("ann"), true);
  const worker = new Worker(WORKER, { eval: true, workerData: { limits: store.handle } });
  const [answers] = await once(worker, "message");
  assert.deepEqual(answers, [true, false]);
  assert.deepEqual([limiter.allow("ann"), store.size], [false, 1]);
}

void main();
