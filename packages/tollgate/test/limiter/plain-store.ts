import { memoryStore, type SyncStore } from "tollgate";

/** A store of a user, with the required methods only: no key references and no batches. */
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
        allow: (key, now, cost) => space.allow(key, now, cost),
        apply: (verb, key, nowUs, costs, report, at) => space.apply(verb, key, nowUs, costs, report, at),
        drop: (key) => space.drop(key),
        clear: () => space.clear(),
        sweep: (nowUs) => space.sweep(nowUs),
        maintain: () => space.maintain(),
        release: () => space.release(),
      };
    },
    close: () => store.close(),
  };
}
