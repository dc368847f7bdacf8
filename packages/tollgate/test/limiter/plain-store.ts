import { memoryStore } from "tollgate";
import type { SyncStore } from "tollgate/store";

/** A store with the required members only: no key references and no batches. */
export function plainStore(): SyncStore {
  const store = memoryStore();
  return {
    kind: "sync",
    open: (plan, context) => {
      const space = store.open(plan, context);
      return {
        plan,
        get size() {
          return space.size;
        },
        allow: (key, cost, now) => space.allow(key, cost, now),
        apply: (verb, key, costs, now, report, at) => space.apply(verb, key, costs, now, report, at),
        drop: (key) => space.drop(key),
        clear: () => space.clear(),
        sweep: (now) => space.sweep(now),
        maintain: () => space.maintain(),
        release: () => space.release(),
      };
    },
    close: () => store.close(),
  };
}
