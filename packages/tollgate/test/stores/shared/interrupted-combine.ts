import { type Clock, combine, createLimiter, type Limiter, memoryStore, perHour } from "tollgate";
import type { SyncSpace, SyncStore } from "tollgate/store";

/** The capacity of the second limiter. */
const DOOR_CAPACITY = 9;

/**
 * Combines a limiter with a second one that denies. `meanwhile` runs between the peek and the take of a combined call,
 * when limiters over shared stores have taken their units: there other threads may call.
 */
export function behindDoor(limiter: Limiter, clock: Clock, meanwhile: () => void): Limiter {
  const door = createLimiter({ name: "door", limits: [perHour(DOOR_CAPACITY)], clock, store: doorStore(meanwhile) });
  return combine(limiter, door);
}

function doorStore(meanwhile: () => void): SyncStore {
  const store = memoryStore();
  return {
    kind: "sync",
    open: (plan, context) => {
      const inner = store.open(plan, context);
      const apply: SyncSpace["apply"] = (verb, key, costs, now, report, at) => {
        if (verb === "take" && costs[0] !== 0) {
          meanwhile();
          inner.apply("charge", key, [DOOR_CAPACITY], now, report, at);
        }
        return inner.apply(verb, key, costs, now, report, at);
      };
      return {
        plan,
        size: 0,
        allow: (key, cost, now) => inner.allow(key, cost, now),
        apply,
        drop: (key) => inner.drop(key),
        clear: () => inner.clear(),
        sweep: (now) => inner.sweep(now),
        maintain: () => {},
        release: () => {},
      };
    },
    close: () => {},
  };
}
