import { describe, expect, it } from "vitest";
import { VARIANTS } from "../redis/catalog.ts";
import { FULL } from "../redis/measure/plan.ts";
import { consoleText } from "../redis/report/console-text.ts";
import { pageOf } from "../redis/report/page.ts";
import type { Report } from "../redis/report/report.ts";
import { summarize } from "../redis/report/summarize.ts";
import { judge, TARGETS } from "../redis/report/targets.ts";
import { sample } from "./support/redis-samples.ts";

const samples = [
  sample("incr", 1, 200_000),
  sample("flexible", 1, 80_000),
  sample("batched", 1, 240_000, { commandsPerDecision: 1 / 128, p99Ms: 4.25 }),
  sample("incr", 2, 220_000),
  sample("flexible", 2, 100_000),
  sample("batched", 2, 242_000, { commandsPerDecision: 1 / 128, p99Ms: 5.75 }),
  sample("batched-denied", 1, 2_000_000, { inFlight: 1, commandsPerDecision: 0, p50Ms: 0.00042 }),
];
const weights = [
  { variant: "flexible", bytes: 72 },
  { variant: "batched", bytes: 104 },
  { variant: "batched-hot", bytes: 104 },
];
const failures = [{ variant: "one hot key, INCR", reason: "Error: expected 5 calls to be admitted, but 6 were" }];

const report: Report = {
  date: "2026-01-31",
  machine: { cpu: "A CPU", cores: 2, memoryGib: 24, os: "Linux 6.1, x64", node: "v20.20.2" },
  server: "Redis 7.0.15",
  plan: FULL,
  rounds: 2,
  versions: { ioredis: "6.0.0" },
  targets: TARGETS.map((target) => judge(target, samples, weights)),
  results: summarize({ samples, weights, failures }, VARIANTS),
};

/** The cells of the first line in a section that begins so. */
function cellsOf(page: string, heading: string, ...start: readonly string[]): string[] {
  const section = page.slice(page.indexOf(heading));
  const rows = section.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const row = rows.find((cells) => start.every((cell, i) => cells[i + 1] === cell)) ?? [];
  return row.slice(1 + start.length, -1);
}

describe("the page", () => {
  const page = pageOf(report);

  it("says when, where, of what and how", () => {
    expect(page).toContain(
      "Measured on 2026-01-31: A CPU, 2 cores, 24 GiB, Linux 6.1, x64, Node v20.20.2; Redis 7.0.15",
    );
    expect(page).toContain("700 ms after 250 ms of warm-up. Medians; rounds: 2. ioredis 6.0.0.");
  });

  it("has the targets beside what was measured", () => {
    expect(cellsOf(page, "## Targets", "decisions a second over INCR, distinct keys")).toEqual([
      ...["≥ 1.00", "1.15", "1.10 to 1.20", "1.00", "reached"],
    ]);
    expect(cellsOf(page, "## Targets", "bytes of one token bucket, user key of 16 characters")).toEqual([
      ...["≤ 128", "104", "", "", "reached"],
    ]);
    expect(cellsOf(page, "## Targets", "decisions a second over INCR, one hot key")).toEqual([
      ...["≥ 5.00", "", "", "", "not measured"],
    ]);
  });

  it("has a row for each variant that was measured, beside INCR and rate-limiter-flexible", () => {
    expect(cellsOf(page, "### 512 in flight", "distinct keys", "Tollgate")).toEqual([
      ...["241,000", "240,000 to 242,000", "1.15", "2.71", "1.00", "5.00", "4.25 to 5.75"],
      ...["3.00", "0.50", "1.00", "128"],
    ]);
    expect(cellsOf(page, "### 512 in flight", "distinct keys", "INCR").slice(2, 4)).toEqual(["", "2.35"]);
    expect(page).not.toContain("rate-limit-redis |");
  });

  it("leaves blank what there is none of", () => {
    const cells = cellsOf(page, "### 1 in flight", "denied keys", "Tollgate");
    expect(cells.slice(2, 5)).toEqual(["", "", "0.0004"]);
    expect(cells.at(-1)).toBe("");
  });

  it("says how contenders are set up, and what their keys take", () => {
    expect(cellsOf(page, "## Contenders", "Tollgate")).toEqual([
      ...["`allow(key)`, `redisStore({ client })`", "distinct keys, one hot key", "104"],
    ]);
  });

  it("says what failed", () => {
    expect(page).toContain("### Failed\n\n- one hot key, INCR: Error: expected 5 calls to be admitted, but 6 were");
  });
});

describe("what is printed", () => {
  it("leaves out targets that were not measured", () => {
    const text = consoleText(report);
    expect(text).toContain("decisions a second over INCR, distinct keys");
    expect(text).not.toContain("not measured");
  });
});
