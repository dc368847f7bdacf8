/// <reference types="node" />

// A primary with stores for one worker, which is the process that forked this one (primary-process.ts). It reads and
// sends messages as a worker's parent would. Commands of the test are messages of the application.

import { memoryStore } from "tollgate";
import { serveWorkers } from "tollgate/cluster";
import { tableStore } from "tollgate/table";

const STORES = {
  memory: (options) => memoryStore(options),
  table: (options) => tableStore(options),
};

const worker = { send: (...args) => process.send(...args) };
const listeners = new Map();
const cluster = {
  on(event, listener) {
    const own = event === "message" ? (message) => listener(worker, message) : () => listener(worker);
    listeners.set(listener, own);
    process.on(event === "exit" ? "disconnect" : event, own);
  },
  off(event, listener) {
    process.off(event === "exit" ? "disconnect" : event, listeners.get(listener));
  },
};
const served = new Map();
// Each store listens.
process.setMaxListeners(0);

process.on("message", (message) => {
  if (message?.command === "serve") {
    const { name, store, options } = message;
    served.set(name, serveWorkers({ cluster, name, store: STORES[store](options) }));
  } else if (message?.command === "stop") served.get(message.name).close();
  else return;
  process.send({ done: message.name });
});
process.on("disconnect", () => process.exit(0));
