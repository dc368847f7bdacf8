import LocalStore from "@fastify/rate-limit/store/LocalStore.js";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";
import { UNITS } from "../workloads/units.ts";
import { WINDOW_MS } from "./limits.ts";

/** As many keys as the largest job has: with them, the store forgets none. */
export const LARGE_CACHE = 1_000_000;

/** With the plugin's default of 5,000 keys. */
export function create(setup: Setup): SyncContender {
  return contend(new LocalStore(false, false), setup);
}

export function createLarge(setup: Setup): SyncContender {
  return contend(new LocalStore(false, false, LARGE_CACHE), setup);
}

/** The store alone. The plugin makes a promise and a closure of each call, both of which are spared here. */
function contend(store: LocalStore, { limit, pool }: Setup): SyncContender {
  const units = UNITS[limit];
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  let current = 0;
  const done = (error: Error | null, counted: { readonly current: number }) => {
    if (error !== null) throw error;
    current = counted.current;
  };
  return {
    kind: "sync",
    prepare: (indices) => keys.make(indices),
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        store.incr(strings[i]!, done, WINDOW_MS, units);
        if (current <= units) admitted += 1;
      }
      return admitted;
    },
    close() {},
  };
}
