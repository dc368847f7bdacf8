import { TokenBucket } from "limiter";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { FreshKeys } from "../workloads/fresh-keys.ts";
import { UNITS } from "../workloads/units.ts";
import { WINDOW_MS } from "./limits.ts";

/** It knows no keys: whoever limits clients with it keeps a bucket for each in a Map. */
export function create({ limit, pool }: Setup): SyncContender {
  const units = UNITS[limit];
  const buckets = new Map<string, TokenBucket>();
  const keys = new FreshKeys(pool);
  const { strings } = keys;
  return {
    kind: "sync",
    prepare: (indices) => keys.make(indices),
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) {
        const key = strings[i]!;
        let bucket = buckets.get(key);
        if (bucket === undefined) {
          bucket = fullBucket(units);
          buckets.set(key, bucket);
        }
        if (bucket.tryRemoveTokens(1)) admitted += 1;
      }
      return admitted;
    },
    close() {},
  };
}

/** Buckets begin empty; `RateLimiter` of the same package fills its own in this way. */
function fullBucket(bucketSize: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize, tokensPerInterval: 1, interval: WINDOW_MS });
  bucket.content = bucketSize;
  return bucket;
}
