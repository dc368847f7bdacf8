import type { Limiter } from "tollgate";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { BATCH, CHUNK } from "../workloads/chunk.ts";

/** A call of `allowMany` for so many keys; their arrays are made off-clock, as the keys are. */
export function decideAboutBatches(limiter: Limiter, { pool }: Setup): SyncContender {
  const batches = Array.from({ length: CHUNK / BATCH }, () => new Array<string>(BATCH).fill(""));
  const verdicts = new Uint8Array(BATCH);
  return {
    kind: "sync",
    prepare(indices) {
      for (let i = 0; i < indices.length; i += 1) batches[Math.floor(i / BATCH)]![i % BATCH] = pool.key(indices[i]!);
    },
    decide(from, to) {
      let admitted = 0;
      for (let batch = from / BATCH; batch < to / BATCH; batch += 1) {
        admitted += limiter.allowMany(batches[batch]!, verdicts);
      }
      return admitted;
    },
    close: () => limiter.close(),
  };
}
