import { RateLimiterMemory } from "rate-limiter-flexible";
import type { AsyncContender, Setup } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";
import { UNITS } from "../workloads/units.ts";
import { WINDOW_MS } from "./limits.ts";

export function create({ limit, pool }: Setup): AsyncContender {
  const limiter = new RateLimiterMemory({ points: UNITS[limit], duration: WINDOW_MS / 1_000 });
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "async",
    prepare: (indices) => keys.make(indices),
    async decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        try {
          await limiter.consume(strings[i]!);
          admitted += 1;
        } catch (denial) {
          // A denial is a rejection with a result; an error is one with an Error.
          if (denial instanceof Error) throw denial;
        }
      }
      return admitted;
    },
    // Its timers, one for each key, do not keep the process.
    close() {},
  };
}
