import { memoryStore, type Observation } from "tollgate";
import { manualClock } from "tollgate/testing";
import type { RedisInUse, StoreOptions } from "./use-redis.ts";

const NOW_MS = 1_790_000_000_000;

/** A store under the kill switch, with its observations. */
export function bypassedStore(redis: RedisInUse, options: StoreOptions = {}) {
  const clock = manualClock(NOW_MS);
  const store = redis.storeByClock(options);
  store.bypass = true;
  const observed: Observation[] = [];
  const observe = (observation: Observation) => observed.push(observation);
  return { redis, clock, store, observed, observe };
}

/** The same with a local quarter of each limit: 2 units of 10. */
export function quarterStore(redis: RedisInUse) {
  return bypassedStore(redis, { onFailure: { fallback: memoryStore(), share: 0.25 } });
}
