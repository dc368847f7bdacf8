import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("allocation.mjs", import.meta.url));
const LISTS = ["token bucket", "two token buckets", "sliding window", "fixed window", "all kinds"];
/** A boxed number has 16 bytes. The manual clock boxes its own in every 64th call. */
const BYTES_PER_CALL = 1;

interface Measured {
  readonly bytesPerCall: number;
  /** The part of the calls that were admitted. */
  readonly admitted: number;
}

async function measure(store: string, lists: readonly string[]): Promise<Readonly<Record<string, Measured>>> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, store, ...lists]);
  return JSON.parse(stdout) as Record<string, Measured>;
}

describe.each(["memory", "table"])("allow over a %s store allocates nothing for a key in use", (store) => {
  it.each([...LISTS.map((list) => ({ name: list, lists: [list] })), { name: "one after another", lists: LISTS }])(
    "$name",
    async ({ lists }) => {
      const measured = await measure(store, lists);
      expect(Object.keys(measured)).toHaveLength(2 * lists.length);
      const names = Object.keys(measured);
      expect(names.filter((one) => (measured[one]?.bytesPerCall ?? 0) >= BYTES_PER_CALL)).toEqual([]);
      // Admissions and denials are both among the calls.
      expect(names.filter((one) => Math.abs((measured[one]?.admitted ?? 0) - 0.5) > 0.4)).toEqual([]);
    },
  );
});
