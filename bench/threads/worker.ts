import { parentPort, workerData } from "node:worker_threads";
import { createLimiter } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { KeyPool, shuffled } from "../harness/keys.ts";
import { LIMITER, type WorkerOrder, type WorkerReply } from "./shared.ts";

/** Between two readings of the clock. */
const CALLS_PER_READING = 1_024;

const { keys, thread, threads, windowMs, warm, store } = workerData as WorkerOrder;
const limiter = createLimiter({ ...LIMITER, store: sharedStore.attach(store) });
const pool = new KeyPool(keys);
// One key has many strings of its text: no call has the string of the call before.
const count = Math.max(keys, CALLS_PER_READING);
const order = shuffled(
  Array.from({ length: count }, (_, index) => index % keys),
  thread + 1,
);
const strings = order.map((index) => pool.key(index));

let calls = 0;
let admitted = 0;

/** Decides for this long, and about every string once. */
function decideFor(ms: number): void {
  const endMs = performance.now() + ms;
  for (let first = 0, made = 0; made < count || performance.now() < endMs; made += CALLS_PER_READING) {
    for (let i = 0; i < CALLS_PER_READING; i += 1) {
      if (limiter.allow(strings[first]!)) admitted += 1;
      first = first + 1 === count ? 0 : first + 1;
    }
    calls += CALLS_PER_READING;
  }
}

decideFor(windowMs);
// All threads begin together.
const arrived = new Int32Array(warm);
Atomics.add(arrived, 0, 1);
Atomics.notify(arrived, 0);
for (let now = Atomics.load(arrived, 0); now < threads; now = Atomics.load(arrived, 0)) Atomics.wait(arrived, 0, now);

const [startMs, before] = [performance.now(), calls];
decideFor(windowMs);
const perMs = (calls - before) / (performance.now() - startMs);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
parentPort?.postMessage({ perMs, calls, admitted } satisfies WorkerReply);
