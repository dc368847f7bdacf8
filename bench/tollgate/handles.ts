import type { Handle, Limiter } from "tollgate";
import type { Setup, SyncContender } from "../contenders/contender.ts";
import { CHUNK } from "../workloads/chunk.ts";

/** Every key has a handle, as one kept beside a connection; it is made when the key is first met, off-clock. */
export function decideAboutHandles(limiter: Limiter, { pool }: Setup): SyncContender {
  const handles = new Array<Handle | undefined>(pool.count).fill(undefined);
  const next = new Array<Handle>(CHUNK);
  return {
    kind: "sync",
    prepare(indices) {
      for (let i = 0; i < indices.length; i += 1) {
        const index = indices[i]!;
        next[i] = handles[index] ??= limiter.handle(pool.key(index));
      }
    },
    decide(from, to) {
      let admitted = 0;
      for (let i = from; i < to; i += 1) if (next[i]!.allow()) admitted += 1;
      return admitted;
    },
    close: () => limiter.close(),
  };
}
