import { describe, expect, it } from "vitest";
import { VARIANTS } from "../http/catalog.ts";
import { FULL } from "../http/measure/plan.ts";
import { pageOf } from "../http/report/page.ts";
import type { Report } from "../http/report/report.ts";
import { summarize } from "../http/report/summarize.ts";
import { judge, TARGETS } from "../http/report/targets.ts";
import { sample } from "./support/http-samples.ts";

const samples = [
  sample("node", 1, 50_000),
  sample("node-tollgate", 1, 45_000, { busy: 0.97 }),
  sample("node", 2, 52_000),
  sample("node-tollgate", 2, 44_200),
];
const failures = [{ variant: "hono-usual", reason: "Error: expected status 200, got 500" }];

const report: Report = {
  date: "2026-01-31",
  machine: { cpu: "A CPU", cores: 2, memoryGib: 24, os: "Linux 6.1, x64", node: "v20.20.2" },
  generator: "wrk 4.2.0, one thread",
  plan: FULL,
  rounds: 2,
  versions: { express: "5.3.0" },
  targets: TARGETS.map((target) => judge(target, samples)),
  results: summarize({ samples, failures }, VARIANTS),
};

/** The cells of the first line that begins so. */
function cellsOf(page: string, start: string): string[] {
  const line = page.split("\n").find((one) => one.startsWith(`| ${start}`)) ?? "";
  return line.split("|").map((cell) => cell.trim());
}

describe("the page", () => {
  const page = pageOf(report);

  it("says when, where, of what and how", () => {
    expect(page).toContain("Measured on 2026-01-31: A CPU, 2 cores, 24 GiB, Linux 6.1, x64, Node v20.20.2.");
    expect(page).toContain("Load: wrk 4.2.0, one thread, 64 connections, 2 s after 1 s of warm-up.");
    expect(page).toContain("rounds: 2. express 5.3.0.");
  });

  it("has the targets beside what was measured", () => {
    const cells = cellsOf(page, "node:http, two headers");
    expect(cells.slice(2, -1)).toEqual(["≥ 0.88", "0.875", "0.85 to 0.90", "0.875", "missed"]);
  });

  it("has a row for each variant that was measured", () => {
    expect(cellsOf(page, "nothing").slice(2, 5)).toEqual(["`createServer(handler)`", "51,000", "50,000 to 52,000"]);
    expect(cellsOf(page, "Tollgate").slice(3, 7)).toEqual(["44,600", "44,200 to 45,000", "0.875", "0.85 to 0.90"]);
    expect(page).not.toContain("### koa");
  });

  it("says what failed", () => {
    expect(page).toContain("### Failed\n\n- hono-usual: Error: expected status 200, got 500");
  });
});
