import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const FLOOD = fileURLToPath(new URL("flood.mjs", import.meta.url));
const HEAP_MB = 100;
const MAX_BYTES = 2 ** 25;

describe("a process with a heap of 100 MB and a store of 32 MiB", () => {
  it.each([
    ["keys of 5,000 units", "memory"],
    ["keys of an exact window", "memory"],
    ["windows chosen per call", "memory"],
    ["windows chosen per call", "table"],
  ])("survives a flood of %s: %s store", async (scenario, kind) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      `--max-old-space-size=${HEAP_MB}`,
      FLOOD,
      scenario,
      kind,
    ]);
    const reported = JSON.parse(stdout) as Record<"bytes" | "size" | "arrayBuffers", number>;
    expect(reported.bytes).toBeLessThanOrEqual(MAX_BYTES);
    expect(reported.size).toBeGreaterThan(0);
    // The garbage collector may not have freed some old arrays yet.
    expect(reported.arrayBuffers).toBeLessThan(3 * MAX_BYTES);
  });
});
