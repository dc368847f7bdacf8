import { setImmediate as nextTurn } from "node:timers/promises";

/** Checks decisions: a contender that decides wrongly is not measured. @throws Error when the counts differ. */
export function expectCount(what: string, count: number, expected: number): void {
  if (count !== expected) throw new Error(`${what}: expected ${expected}, got ${count}`);
}

/** Milliseconds on a clock that all threads and processes of a machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The smallest of these ascending values that at least this fraction of them does not exceed. */
export function percentile(ascending: Float64Array, fraction: number): number {
  const value = ascending[Math.max(0, Math.ceil(ascending.length * fraction) - 1)];
  if (value === undefined) throw new Error("values: expected at least one");
  return value;
}

const COLLECTIONS = 3;

/** What the heap and the buffers beside it take after full collections. */
export async function bytesInUse(): Promise<number> {
  for (let i = 0; i < COLLECTIONS; i += 1) {
    collect();
    // Node frees buffers in a later turn.
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** @throws Error when Node runs without `--expose-gc`. */
export function collect(): void {
  if (globalThis.gc === undefined) throw new Error("expected Node to run with --expose-gc");
  globalThis.gc();
}
