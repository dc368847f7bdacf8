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

/** Processes that may measure. Now and then an engine does not inline a function, for as long as a process lives. */
const PROCESSES = 4;

async function measure(run: Run): Promise<Record<string, Measured>> {
  const { mostBytesPerCall: most, lists } = run;
  let measured = await measureOnce(run);
  const isAbove = (name: string) => !((measured[name]?.bytesPerCall ?? Number.NaN) <= most);
  for (let tries = 1; tries < PROCESSES && Object.keys(measured).some(isAbove); tries += 1) {
    const again = await measureOnce(run);
    measured = Object.fromEntries(Object.entries(measured).map(([name, one]) => [name, lesser(one, again[name])]));
  }
  const names = Object.keys(measured);
  expect(names).toHaveLength(2 * lists.length);
  expect(names.filter(isAbove)).toEqual([]);
  return measured;
}

async function measureOnce({ store, clock, mostBytesPerCall, lists }: Run): Promise<Record<string, Measured>> {
  const options = [store, clock, String(mostBytesPerCall), ...lists];
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...options]);
  return JSON.parse(stdout) as Record<string, Measured>;
}

function lesser(one: Measured, other: Measured | undefined): Measured {
  return other !== undefined && other.bytesPerCall < one.bytesPerCall ? other : one;
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
