import { MemoryStore } from "hono-rate-limiter";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";
import { UNITS } from "../workloads/units.ts";
import { WINDOW_MS } from "./limits.ts";

/** The store alone. Its middleware awaits the answer, which is none to await: the promise is spared here. */
export function create({ limit, pool }: Setup): SyncContender {
  const units = UNITS[limit];
  const store = new MemoryStore();
  // Of all options of the middleware the store reads this one.
  store.init({ windowMs: WINDOW_MS } as Parameters<typeof store.init>[0]);
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "sync",
    prepare: (indices) => keys.make(indices),
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        const { totalHits } = store.increment(strings[i]!);
        if (totalHits <= units) admitted += 1;
      }
      return admitted;
    },
    close: () => store.shutdown(),
  };
}
