import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { judge } from "../harness/bounds.ts";
import { partsOf, ratioOf, type Sample } from "../harness/figures.ts";
import { fillPage, reportText } from "../harness/page.ts";
import { type Report, summarize } from "../harness/report.ts";
import { orderOfRound } from "../harness/rounds.ts";
import { readWrk } from "../harness/wrk.ts";
import { BENCH as HTTP } from "../http/bench.ts";
import { BENCH as HYBRID } from "../hybrid/bench.ts";
import { BENCH as PROCESS } from "../process/bench.ts";
import { BENCH as REDIS } from "../redis/bench.ts";
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

describe("the order of a round", () => {
  const tasks = Array.from({ length: 12 }, (_, i) => ({ table: `table ${i % 3}`, row: i }));

  it.each([1, 2, 3])("has every task once and keeps tables together: round %d", (round) => {
    const order = orderOfRound(tasks, round);
    expect(new Set(order)).toEqual(new Set(tasks));
    expect(order.filter(({ table }, i) => table !== order[i - 1]?.table)).toHaveLength(3);
  });

  it("differs between rounds", () => {
    expect(new Set([1, 2, 3, 4].map((round) => JSON.stringify(orderOfRound(tasks, round))))).toHaveLength(4);
  });
});

describe.each([PROCESS, HTTP, REDIS, HYBRID, SERVICE].map((bench) => [bench.name, bench] as const))(
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

it("a table shows its measured rows in order, with medians", () => {
  const [{ columns }] = [PROCESS.tables[0]!];
  const table = { id: "hot", title: "One hot key", rows: { c: "third", absent: "absent", a: "first" }, columns };
  const text = reportText({ setting: {}, bounds: [], tables: summarize(SAMPLES), failures: [] }, [table]);
  const rows = text.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  expect(rows.filter(([, who]) => who === "third" || who === "first" || who === "absent")).toEqual([
    ["", "third", "340", "", "", ""],
    ["", "first", "90.0", "", "", ""],
  ]);
});

describe("what wrk prints", () => {
  const printed = "     50%  812.00us\n     99%    4.85ms\n  12 requests in 1.50m, 1KB\n";

  it("has requests, seconds and latencies", () => {
    expect(readWrk(printed)).toEqual({
      requests: 12,
      seconds: 90,
      p50Ms: expect.closeTo(0.812),
      p99Ms: expect.closeTo(4.85),
    });
  });

  it.each(["Socket errors: connect 0, read 3", "Non-2xx or 3xx responses: 17"])("may be an error: %s", (line) => {
    expect(() => readWrk(`${printed}  ${line}\n`)).toThrow(line);
  });
});
