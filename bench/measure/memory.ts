import { setImmediate as nextTurn } from "node:timers/promises";

const COLLECTIONS = 3;

/** Bytes in use on the heap and in buffers beside it, when nothing is left to collect. */
export async function bytesInUse(): Promise<number> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    collect();
    // Buffers are given back in a later turn.
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** How long full collections take: the middle one of three. */
export function collectMs(): number {
  const times: number[] = [];
  for (let i = 0; i < COLLECTIONS; i += 1) {
    const startMs = performance.now();
    collect();
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[1]!;
}

function collect(): void {
  if (globalThis.gc === undefined) throw new Error("expected Node to run with --expose-gc");
  globalThis.gc();
}
