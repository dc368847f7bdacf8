// A worker thread with the built library. It makes the limiter, waits at the gate, does its job and posts the result.
import { parentPort, workerData } from "node:worker_threads";

const { dist, handle, name, limits, clockMs, webAssembly, gate, job, call = "run", parameters } = workerData;
// The library looks for WebAssembly when it is loaded.
if (webAssembly === "none") globalThis.WebAssembly = undefined;
const tollgate = await import(`${dist}/index.js`);
const { sharedStore } = await import(`${dist}/stores/shared/index.js`);
const { [call]: run } = await import(new URL(job, import.meta.url).href);

const store = handle === undefined ? undefined : sharedStore.attach(handle);
const clock = { now: () => clockMs };
/** The limiter, or a version of it with other limits. */
const limiterOf = (list) =>
  tollgate.createLimiter({ name, limits: list.map(([kind, options]) => tollgate[kind](options)), store, clock });
const limiter = limits === undefined ? undefined : limiterOf(limits);
parentPort.postMessage("ready");
Atomics.wait(gate, 0, 0);
parentPort.postMessage(
  await run({
    ...parameters,
    limiter,
    limiterOf,
    store,
    sharedStore,
    tollgate,
    clockMs,
  }),
);
