import type { Limiter } from "tollgate";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";

/** A call of `consume` for each key, whose answer says why and when again. */
export function decideInFull(limiter: Limiter, { pool }: Setup): SyncContender {
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "sync",
    prepare: (indices) => keys.make(indices),
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        const decision = limiter.consume(strings[i]!);
        if (decision.allowed) admitted += 1;
        // Looks at the rest of the answer, as its users do: what nobody looks at, the compiler may leave out.
        if (Number.isNaN(decision.remaining + decision.resetMs)) throw new Error("expected numbers in a decision");
      }
      return admitted;
    },
    close: () => limiter.close(),
  };
}
