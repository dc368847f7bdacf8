import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";

const SCRIPT = fileURLToPath(new URL("allocation.mjs", import.meta.url));
const BOXED_NUMBER_BYTES = 16;
/** The manual clock boxes its own number in every 64th call. */
const NOTHING = 1;
/** Engines box what `performance.now()` returns, and what a clock returns if they do not inline the clock. */
const READING = 2.2 * BOXED_NUMBER_BYTES;

export const STORES = ["memory", "table", "shared"] as const;
export type StoreName = (typeof STORES)[number];

interface Measured {
  readonly bytesPerCall: number;
  /** The fraction of the calls that were admitted. */
  readonly admitted: number;
}

interface Run {
  readonly store: StoreName;
  readonly clock: "manual" | "own" | "coarse";
  readonly mostBytesPerCall: number;
  readonly lists: readonly string[];
}

async function measure({ store, clock, mostBytesPerCall: most, lists }: Run): Promise<Record<string, Measured>> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, store, clock, String(most), ...lists]);
  const measured = JSON.parse(stdout) as Record<string, Measured>;
  const names = Object.keys(measured);
  expect(names).toHaveLength(2 * lists.length);
  expect(names.filter((one) => (measured[one]?.bytesPerCall ?? Number.NaN) <= most)).toEqual(names);
  return measured;
}

/** Calls under these lists of limits, some admitted and some denied, allocate nothing in one process. */
export async function expectNothingAllocated(store: StoreName, lists: readonly string[]): Promise<void> {
  const measured = await measure({ store, clock: "manual", mostBytesPerCall: NOTHING, lists });
  const names = Object.keys(measured);
  expect(names.filter((one) => Math.abs((measured[one]?.admitted ?? 0) - 0.5) > 0.4)).toEqual([]);
}

/** Calls allocate what a reading of this clock does. Samples err by a few percent. */
export async function expectReadingAllocated(store: StoreName, clock: "own" | "coarse"): Promise<void> {
  const mostBytesPerCall = (clock === "own" ? READING : READING / 16) + NOTHING;
  const measured = await measure({ store, clock, mostBytesPerCall, lists: ["all admitted", "all denied"] });
  const admitted = Object.values(measured).map((one) => Math.round(one.admitted));
  expect(admitted).toEqual([1, 1, 0, 0]);
}
