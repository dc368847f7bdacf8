import { describe, expect, it } from "vitest";
import { pageOf } from "../report/page.ts";
import type { Report } from "../report/report.ts";
import { results, rival, row, weight } from "./support/results.ts";
import { threadResults, threadRow } from "./support/thread-results.ts";

const report: Report = {
  date: "2026-01-31",
  machine: { cpu: "A CPU", cores: 2, memoryGib: 24, os: "Linux 6.1, x64", node: "v20.20.2" },
  rounds: 5,
  versions: { limiter: "4.1.0" },
  targets: [{ text: "fast", aim: "≥ 2 × faster", measured: "2.50 ×", verdict: "reached" }],
  results: {
    ...results(
      {
        hot: [
          row("memory", 50),
          rival("rate-limiter-flexible", 300),
          rival("forgetful", 10, { forgets: true }),
          rival("fast", 100),
          row("nothing", 1, { family: "nothing" }),
        ],
      },
      [weight("memory", 100, 12_345)],
    ),
    misses: [{ kind: "skipped", what: "thousand / floor", reason: "gcc is not installed" }],
  },
  threads: threadResults(
    { "threads-hot": [threadRow("shared", { 1: 30e6, 2: 45e6, 4: 24e6 }), threadRow("cluster", { 1: 72_600 })] },
    [{ kind: "skipped", what: "threads-hot / rust × 1, threads-hot / rust × 2", reason: "rustc is not installed" }],
  ),
};

/** The cells of the lines that begin so. */
function cellsOf(page: string, start: string): string[] {
  const line = page.split("\n").find((one) => one.startsWith(`| ${start}`)) ?? "";
  return line.split("|").map((cell) => cell.trim());
}

describe("the page", () => {
  const page = pageOf(report);

  it("says when, where and of what", () => {
    expect(page).toContain("Measured on 2026-01-31: A CPU, 2 cores, 24 GiB, Linux 6.1, x64, Node v20.20.2.");
    expect(page).toContain("Medians; rounds: 5. limiter 4.1.0.");
  });

  it("has the targets", () => {
    expect(cellsOf(page, "fast ")).toEqual(["", "fast", "≥ 2 × faster", "2.50 ×", "reached", ""]);
  });

  it("compares with the fastest rival that keeps the keys, and with rate-limiter-flexible", () => {
    expect(cellsOf(page, "memory")).toEqual(["", "memory", "default", "50.0", "49.0 to 51.0", "2.00", "6.00", ""]);
    expect(cellsOf(page, "forgetful").slice(1, 3)).toEqual(["forgetful (forgets keys)", "default"]);
  });

  it("does not compare the loop", () => {
    expect(cellsOf(page, "nothing").slice(-3)).toEqual(["", "", ""]);
  });

  it("has weights", () => {
    expect(page).toContain("12,345");
  });

  it("has what threads do together, in millions a second", () => {
    expect(page).toContain("### Title of threads-hot");
    expect(cellsOf(page, "shared")).toEqual([
      "",
      "shared",
      "default",
      "30.0",
      "29.0 to 31.0",
      "45.0",
      "44.0 to 46.0",
      "1.50",
      "24.0",
      "23.0 to 25.0",
      "0.80",
      "",
    ]);
    expect(cellsOf(page, "cluster").slice(3)).toEqual(["0.0726", "0.0716 to 0.0736", "", "", "", "", "", "", ""]);
  });

  it("says what is missing", () => {
    expect(page).toContain("- threads-hot / rust × 1, threads-hot / rust × 2 skipped: rustc is not installed");
    expect(page).toContain("- thousand / floor skipped: gcc is not installed");
  });

  it("pads its tables, so that each line of one is as long", () => {
    const blocks = page.split("\n\n").filter((block) => block.startsWith("|"));
    expect(blocks.length).toBe(4);
    for (const block of blocks) expect(new Set(block.split("\n").map(({ length }) => length)).size).toBe(1);
  });
});
