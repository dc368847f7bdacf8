/// <reference types="node" />

// A cluster of workers that count in one store of the primary (cluster.deep.test.ts). Prints JSON lines.

import cluster from "node:cluster";
import { setImmediate } from "node:timers/promises";
import { concurrency, createLimiter, fixedWindow, memoryStore } from "tollgate";
import { clusterStore, serveWorkers } from "tollgate/cluster";

const WORKERS = 3;
const LIMIT = 1_000;
/** Nothing refills meanwhile. */
const requests = (store) =>
  createLimiter({
    name: "requests",
    limits: [fixedWindow({ limit: LIMIT, window: "1h", anchor: "first-use" })],
    store,
  });
const places = (store) => createLimiter({ name: "places", limits: [concurrency({ max: 2, ttl: "2s" })], store });

if (cluster.isPrimary) {
  const { store } = serveWorkers({ cluster, store: memoryStore() });
  const workers = Array.from({ length: WORKERS }, () => cluster.fork());
  const next = (worker) => new Promise((resolve) => worker.once("tollgate test", resolve));
  cluster.on("message", (worker, message) => {
    if ("result" in message) worker.emit("tollgate test", message.result);
  });
  const ask = (worker, order) => {
    const result = next(worker);
    worker.send({ order });
    return result;
  };
  // A message that comes before a worker listens is lost.
  await Promise.all(workers.map(next));
  const [victim, ...others] = workers;
  const held = await ask(victim, "hold");
  const denied = await ask(others[0], "hold");
  // In the middle of its calls.
  victim.send({ order: "flood" });
  const left = () => requests(store).peek("ann", 0).remaining;
  while (left() === LIMIT) await setImmediate();
  victim.process.kill("SIGKILL");
  const admitted = await Promise.all(others.map((worker) => ask(worker, "flood")));
  const freed = await ask(others[0], "wait for a place");
  console.log(JSON.stringify({ held, denied, admitted, left: left(), freed, signal: victim.process.signalCode }));
  for (const worker of others) worker.disconnect();
} else {
  const store = clusterStore({ timeout: "30s", onFailure: "deny" });
  const ORDERS = {
    hold: async () => {
      const [one, other] = [places(store).reserve("ann"), places(store).reserve("ann")];
      return [(await one).decision.allowed, (await other).decision.allowed];
    },
    flood: async () => {
      const calls = Array.from({ length: LIMIT }, async () => requests(store).allow("ann"));
      const decided = await Promise.all(calls);
      return decided.filter(Boolean).length;
    },
    "wait for a place": async () => {
      const place = await places(store).acquire("ann", 1, { maxWait: "30s" });
      await place.cancel();
      return place.decision.allowed;
    },
  };
  process.on("message", ({ order }) => {
    if (order !== undefined) void ORDERS[order]().then((result) => process.send({ result }));
  });
  process.on("disconnect", () => process.exit(0));
  process.send({ result: "ready" });
}
