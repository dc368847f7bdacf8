import { setImmediate as nextTurn } from "node:timers/promises";

/** Checks decisions: a contender that decides wrongly is not measured. @throws Error when the counts differ. */
export function expectCount(what: string, count: number, expected: number): void {
  if (count !== expected) throw new Error(`${what}: expected ${expected}, got ${count}`);
}

/** The smallest of these ascending values that at least this fraction of them does not exceed. */
export function percentile(ascending: Float64Array, fraction: number): number {
  const value = ascending[Math.max(0, Math.ceil(ascending.length * fraction) - 1)];
  if (value === undefined) throw new Error("values: expected at least one");
  return value;
}

const COLLECTIONS = 3;

/** The bytes of the heap and of the buffers beside it, after full collections. @throws Error without `--expose-gc`. */
export async function bytesInUse(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("expected Node to run with --expose-gc");
  for (let i = 0; i < COLLECTIONS; i += 1) {
    globalThis.gc();
    // Node frees buffers in a later turn.
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
