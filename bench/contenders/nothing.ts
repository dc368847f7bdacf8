import { FreshKeys } from "../workloads/fresh-keys.ts";
import type { Setup, SyncContender } from "./contender.ts";

/** Admits every key at a glance: what it takes is the loop around a decision. */
export function create({ pool }: Setup): SyncContender {
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "sync",
    prepare: (indices) => keys.make(indices),
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (strings[i]!.length > 0) admitted += 1;
      return admitted;
    },
    close() {},
  };
}
