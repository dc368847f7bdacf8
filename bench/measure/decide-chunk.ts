import { setImmediate as nextTurn } from "node:timers/promises";
import type { Contender } from "../contenders/contender.ts";
import { CHUNK } from "../workloads/chunk.ts";

export interface Timed {
  readonly admitted: number;
  readonly ms: number;
}

/**
 * Lets a contender decide about the next chunk. Making the keys is off-clock, and so is a turn of the event loop, in which
 * timers run as they do in a server.
 */
export async function decideChunk(contender: Contender, indices: Uint32Array): Promise<Timed> {
  contender.prepare(indices);
  await nextTurn();
  if (contender.kind === "async") {
    const startMs = performance.now();
    const admitted = await contender.decide(0, CHUNK);
    return { admitted, ms: performance.now() - startMs };
  }
  const startMs = performance.now();
  const admitted = contender.decide(0, CHUNK);
  return { admitted, ms: performance.now() - startMs };
}
