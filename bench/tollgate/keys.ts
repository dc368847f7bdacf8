import type { Limiter } from "tollgate";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";

/** A call of `allow` for each key. */
export function decideAboutKeys(limiter: Limiter, { pool }: Setup): SyncContender {
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "sync",
    prepare: (indices) => keys.make(indices),
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (limiter.allow(strings[i]!)) admitted += 1;
      return admitted;
    },
    close: () => limiter.close(),
  };
}
