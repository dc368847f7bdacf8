import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { judge } from "../harness/bounds.ts";
import { partsOf, ratioOf, type Sample } from "../harness/figures.ts";
import { fillPage, reportText } from "../harness/page.ts";
import type { Report } from "../harness/report.ts";
import { BENCH as HTTP } from "../http/bench.ts";
import { BENCH as HYBRID } from "../hybrid/bench.ts";
import { BENCH as POSTGRES } from "../postgres/bench.ts";
import { BENCH as PROCESS } from "../process/bench.ts";
import { BENCH as REDIS } from "../redis/bench.ts";
import { BENCH as REPLAY } from "../replay/bench.ts";
import { BENCH as SERVICE } from "../service/bench.ts";

function samplesOf(row: string, ...rounds: readonly number[]): Sample[] {
  return rounds.map((ns, i) => ({ table: "hot", row, round: i + 1, figures: { ns } }));
}

const SAMPLES = [...samplesOf("a", 90, 500, 8), ...samplesOf("b", 100, 1_000, 10), ...samplesOf("c", 80, 600)];

describe("a ratio", () => {
  it.each([
    ["hot / a / ns", "hot / b / ns", { median: 0.8, min: 0.5, max: 0.9 }],
    ["hot / c / ns", "hot / b / ns", { median: 0.7, min: 0.6, max: 0.8 }],
    // The least of the rows, round by round.
    ["hot / a, c / ns", "hot / b / ns", { median: 0.8, min: 0.5, max: 0.8 }],
    ["hot / c / ns", undefined, { median: 340, min: 80, max: 600 }],
    ["hot / absent / ns", "hot / b / ns", undefined],
  ])("compares figures of the same round: %s over %s", (of, over, spread) => {
    expect(ratioOf(SAMPLES, of, over)).toEqual(spread);
  });

  it.each([
    ["≥", 0.8, true],
    ["≥", 0.81, false],
    ["≤", 0.8, true],
    ["≤", 0.79, false],
  ] as const)("holds or not by its median: %s %d is %s", (is, bound, holds) => {
    const judged = judge({ text: "a", is, bound, of: "hot / a / ns", over: "hot / b / ns" }, SAMPLES);
    expect([judged.aim, judged.holds]).toEqual([`${is} ${bound}`, holds]);
  });

  it("that was not measured does not hold", () => {
    expect(judge({ text: "a", is: "≥", bound: 0, of: "hot / absent / ns" }, SAMPLES).holds).toBe(false);
  });
});

describe.each([PROCESS, HTTP, REDIS, POSTGRES, HYBRID, REPLAY, SERVICE].map((bench) => [bench.name, bench] as const))(
  "%s",
  (name, bench) => {
    it("has the rows that its bounds compare", () => {
      const paths = bench.bounds.flatMap(({ of, over }) => (over === undefined ? [of] : [of, over])).map(partsOf);
      for (const { table, rows } of paths) {
        expect(Object.keys(bench.tables.find(({ id }) => id === table)?.rows ?? {})).toEqual(
          expect.arrayContaining(rows),
        );
      }
    });

    it("has its stored results in the page", async () => {
      const page = await readFile(new URL("../../docs/bench.md", import.meta.url), "utf8");
      const report = JSON.parse(await readFile(new URL(`../results/${name}.json`, import.meta.url), "utf8")) as Report;
      expect(fillPage(page, name, reportText(report, bench.tables))).toBe(page);
    });
  },
);
