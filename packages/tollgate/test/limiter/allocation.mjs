// Measures the bytes that a call to `allow` of the built library allocates. allocated-bytes.ts runs this program in a
// process of its own, so that the engine compiles nothing else. Arguments: a store, a clock, the most bytes, lists of
// limits.
import { Session } from "node:inspector";
import {
  coarseClock,
  createLimiter,
  fixedWindow,
  memoryStore,
  perMinute,
  perSecond,
  slidingWindow,
  systemClock,
  tokenBucket,
} from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";

const KEYS = Array.from({ length: 100 }, (_, i) => `client-number-${i}`);
const [storeName, clockName, mostBytes, ...lists] = process.argv.slice(2);
/** Fewer calls if every call allocates, because a sample takes longer than a call. */
const CALLS = clockName === "manual" ? 400_000 : 100_000;
const CALLS_TO_WARM_UP = 2 * CALLS;
/** The engine recompiles now and then, and allocates meanwhile. Allocations of calls themselves show in every round. */
const ROUNDS = 12;
/** Bytes between samples, on average. */
const SAMPLING_INTERVAL = clockName === "manual" ? 256 : 4_096;

const LISTS = {
  "token bucket": [tokenBucket({ capacity: 1_000, refill: 500, per: "1s" })],
  "two token buckets": [perSecond(400), perMinute(1_000_003, { burst: 500 })],
  "sliding window": [slidingWindow({ limit: 60, window: "500ms" })],
  "fixed window": [fixedWindow({ limit: 3_000, window: "10s" })],
  "all kinds": [
    perSecond(400),
    slidingWindow({ limit: 200, window: "500ms" }),
    fixedWindow({ limit: 3_000, window: "10s" }),
  ],
  // Admits every call at any speed. A bucket that fills at once would be idle, and a sweep would drop its key.
  "all admitted": [tokenBucket({ capacity: 1_000_000_000, refill: 1, per: "1s" })],
  "all denied": [tokenBucket({ capacity: 1, refill: 1, per: "1d" })],
};

const STORES = {
  memory: () => memoryStore(),
  table: () => tableStore({ maxKeys: 10_000 }),
  shared: () => sharedStore({ maxKeys: 10_000 }),
};

/** A moment in 2026. */
const manual = manualClock(1_790_000_000_123.457);
const CLOCKS = {
  manual: () => manual,
  own: (store) => store.clock ?? systemClock,
  coarse: (store) => coarseClock(store.clock),
};

const session = new Session();
session.connect();

function post(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer;
}

function bytesAllocatedBy(run) {
  post("HeapProfiler.startSampling", {
    samplingInterval: SAMPLING_INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  run(CALLS);
  let bytes = 0;
  const pending = [post("HeapProfiler.stopSampling").profile.head];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    bytes += node.selfSize;
    pending.push(...node.children);
  }
  return bytes;
}

function measure(run) {
  let admitted = 0;
  for (let calls = 0; calls < CALLS_TO_WARM_UP; calls += CALLS / 10) run(CALLS / 10);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > CALLS * Number(mostBytes); round += 1) {
    least = Math.min(
      least,
      bytesAllocatedBy((count) => (admitted = run(count))),
    );
  }
  return { bytesPerCall: least / CALLS, admitted: admitted / CALLS };
}

function byKey(limiter) {
  return (count) => {
    let admitted = 0;
    for (let i = 0; i < count; i += 1) {
      if (limiter.allow(KEYS[i % KEYS.length]) === true) admitted += 1;
      if (i % 64 === 0) manual.advance(1);
    }
    return admitted;
  };
}

function byHandle(limiter) {
  const handles = KEYS.map((key) => limiter.handle(key));
  return (count) => {
    let admitted = 0;
    for (let i = 0; i < count; i += 1) {
      if (handles[i % handles.length].allow() === true) admitted += 1;
      if (i % 64 === 0) manual.advance(1);
    }
    return admitted;
  };
}

const measured = {};
for (const name of lists) {
  const store = STORES[storeName]();
  const limiter = createLimiter({ name, limits: LISTS[name], store, clock: CLOCKS[clockName](store) });
  measured[name] = measure(byKey(limiter));
  measured[`${name}, by handle`] = measure(byHandle(limiter));
}
console.log(JSON.stringify(measured));
