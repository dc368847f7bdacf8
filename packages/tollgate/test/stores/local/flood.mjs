// Floods a store in a process with a small heap (small-heap.deep.test.ts), and prints the store's size. Without a bound
// the process runs out of memory.
import { createLimiter, memoryStore, perMinute, slidingWindow } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";

const [scenario, library] = process.argv.slice(2);
const clock = manualClock(1_790_000_000_123);
const create = (maxKeys) =>
  library === "table" ? tableStore({ maxKeys, maxBytes: 2 ** 25 }) : memoryStore({ maxKeys, maxBytes: 2 ** 25 });

function flood(store, limits, calls, keyOf) {
  const limiter = createLimiter({ limits, clock, store });
  for (let i = 0; i < calls; i += 1) void limiter.allow(keyOf(i));
}

const SCENARIOS = {
  "keys of 5,000 units"(store) {
    const padding = "x".repeat(4_990);
    flood(store, [perMinute(5)], 40_000, (i) => `${padding}${String(i).padStart(10, "0")}`);
  },
  "keys of an exact window"(store) {
    flood(store, [slidingWindow({ limit: 1_000, window: "1h", resolution: 0 })], 40_000, (i) => `client-${i}`);
  },
  "windows chosen per call"(store) {
    const limiter = createLimiter({
      key: () => "ann",
      limits: (i) => [slidingWindow({ limit: 200 + (i % 50), window: 60_000 + i, resolution: 0 })],
      clock,
      store,
    });
    for (let i = 0; i < 2_000; i += 1) void limiter.allow(i);
  },
};

const store = create(scenario === "windows chosen per call" ? 10 : 1_000_000);
SCENARIOS[scenario](store);
const { heapUsed, arrayBuffers } = process.memoryUsage();
console.log(JSON.stringify({ bytes: store.bytes, size: store.size, arrayBuffers, heapUsed }));
