import { parentPort, workerData } from "node:worker_threads";
import type { WorkerOrder } from "./threads/measure/worker-order.ts";
import { askInWindow } from "./threads/messages/ask-in-window.ts";
import { decideShared } from "./threads/shared/decide-shared.ts";

// One thread of a row of `npm run bench`: does what it is started for, and says what it did.
const order = workerData as WorkerOrder;
const sample = order.does === "decides" ? decideShared(order) : await askInWindow(order);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
parentPort?.postMessage(sample);
