import { MemoryStore, type Options } from "express-rate-limit";
import type { AsyncContender, Setup } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";
import { UNITS } from "../workloads/units.ts";
import { WINDOW_MS } from "./limits.ts";

/** The store alone, asked as the middleware asks it. */
export function create({ limit, pool }: Setup): AsyncContender {
  const units = UNITS[limit];
  const store = new MemoryStore();
  // Of all options of the middleware the store reads this one.
  store.init({ windowMs: WINDOW_MS } as Options);
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "async",
    prepare: (indices) => keys.make(indices),
    async decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        const { totalHits } = await store.increment(strings[i]!);
        if (totalHits <= units) admitted += 1;
      }
      return admitted;
    },
    close: () => store.shutdown(),
  };
}
