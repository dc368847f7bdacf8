import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("allocation.mjs", import.meta.url));
const LISTS = ["token bucket", "two token buckets", "sliding window", "fixed window", "all kinds"];
const STORES = ["memory", "table", "shared"];
const BOXED_NUMBER_BYTES = 16;
/** The manual clock boxes its own in every 64th call. */
const NOTHING = 1;

interface Measured {
  readonly bytesPerCall: number;
  /** The part of the calls that were admitted. */
  readonly admitted: number;
}

interface Run {
  readonly store: string;
  readonly clock: "manual" | "own" | "coarse";
  /** The most bytes a call that are expected. */
  readonly most: number;
  readonly lists: readonly string[];
}

async function measure({ store, clock, most, lists }: Run): Promise<Readonly<Record<string, Measured>>> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, store, clock, String(most), ...lists]);
  const measured = JSON.parse(stdout) as Record<string, Measured>;
  const names = Object.keys(measured);
  expect(names).toHaveLength(2 * lists.length);
  expect(names.filter((one) => (measured[one]?.bytesPerCall ?? Number.NaN) <= most)).toEqual(names);
  return measured;
}

describe.each(STORES)("allow over a %s store allocates nothing for a key in use", (store) => {
  it.each([...LISTS.map((list) => ({ name: list, lists: [list] })), { name: "one after another", lists: LISTS }])(
    "$name",
    async ({ lists }) => {
      const measured = await measure({ store, clock: "manual", most: NOTHING, lists });
      const names = Object.keys(measured);
      // Admissions and denials are both among the calls.
      expect(names.filter((one) => Math.abs((measured[one]?.admitted ?? 0) - 0.5) > 0.4)).toEqual([]);
    },
  );
});

// Engines box what `performance.now()` returns, and what a clock returns where they do not inline the clock. Samples
// err by a few percent.
describe.each(STORES)("allow over a %s store allocates what a reading of the time does, and nothing else", (store) => {
  const READING = 2.2 * BOXED_NUMBER_BYTES;

  it.each([
    { clock: "own", most: READING + NOTHING },
    { clock: "coarse", most: READING / 16 + NOTHING },
  ] as const)("$clock clock", async ({ clock, most }) => {
    const measured = await measure({ store, clock, most, lists: ["all admitted", "all denied"] });
    const admitted = Object.values(measured).map((one) => Math.round(one.admitted));
    expect(admitted).toEqual([1, 1, 0, 0]);
  });
});
