import { describe, expect, it } from "vitest";
import { type Ratio, ratioOf, spreadOf } from "../harness/figures.ts";
import type { Sections } from "../harness/page.ts";
import { consoleText, fillPage, medianColumn, rangeColumn, textColumn, timesColumn } from "../harness/page.ts";
import { type Report, summarize } from "../harness/results.ts";
import type { Sample } from "../harness/rounds.ts";
import { judge, ratioAt } from "../harness/targets.ts";

/** Nanoseconds of a row, round by round. */
function samplesOf(row: string, ...rounds: readonly number[]): Sample[] {
  return rounds.map((ns, i) => ({ table: "hot", row, round: i + 1, figures: { ns } }));
}

function ratio(ours: readonly string[], theirs: string): Ratio {
  return { of: { table: "hot", rows: ours, name: "ns" }, over: { table: "hot", rows: [theirs], name: "ns" } };
}

describe("the spread of the rounds", () => {
  it.each([
    [[3], { median: 3, min: 3, max: 3 }],
    [[30, 4, 5], { median: 5, min: 4, max: 30 }],
    [[10, 2, 9, 1], { median: 5.5, min: 1, max: 10 }],
  ])("of %j", (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  it("needs a value", () => {
    expect(() => spreadOf([])).toThrow("expected at least one");
  });
});

describe("a ratio", () => {
  const samples = [...samplesOf("a", 90, 500, 8), ...samplesOf("b", 100, 1_000, 10), ...samplesOf("c", 80, 600)];

  it.each([
    ["by round", ["a"], "b", { median: 0.8, min: 0.5, max: 0.9 }],
    ["by round", ["c"], "b", { median: 0.7, min: 0.6, max: 0.8 }],
    ["of medians", ["a"], "b", { median: 0.9, min: 0.9, max: 0.9 }],
    ["of medians", ["b", "c", "a"], "b", { median: 0.9, min: 0.9, max: 0.9 }],
    ["by round", ["absent"], "b", undefined],
    ["of medians", ["a"], "absent", undefined],
  ] as const)("%s of %j over %s", (method, ours, theirs, spread) => {
    expect(ratioOf(ratio(ours, theirs), samples, method)).toEqual(spread);
  });
});

it("a figure may be the least of some rows, less another row in the same round", () => {
  const samples = [...samplesOf("a", 9, 8), ...samplesOf("b", 7, 10), ...samplesOf("clock", 5, 3)];
  const { of } = ratioAt("hot / a, b less clock");
  expect(of).toEqual({ table: "hot", rows: ["a", "b"], name: "ns", less: "clock" });
  expect(ratioOf({ of }, samples, "by round")).toEqual({ median: 3.5, min: 2, max: 5 });
  expect(ratioAt("verbs / a / peek").of).toEqual({ table: "verbs", rows: ["a"], name: "peek" });
});

describe("a target", () => {
  it.each([
    ["≥", 90, "reached"],
    ["≥", 89, "missed"],
    ["≤", 90, "reached"],
    ["≤", 91, "missed"],
    [">", 91, "reached"],
    [">", 90, "missed"],
    ["<", 89, "reached"],
    ["<", 90, "missed"],
  ] as const)("%s 0.9 with %d beside 100", (is, ours, verdict) => {
    const aim = `${is} 0.9 ×`;
    const samples = [...samplesOf("ours", ours, ours, 99), ...samplesOf("theirs", 100, 100, 100)];
    const target = { text: "ours", ratio: ratio(["ours"], "theirs"), byProcessor: ratio(["theirs"], "ours"), aim };
    const [measured, range] = [`0.${ours} ×`, `0.${ours} to 0.99`];
    const byProcessor = (100 / ours).toFixed(2);
    const judged = { text: "ours", aim, measured, range, byProcessor, verdict };
    expect(judge(target, samples, "by round")).toEqual(judged);
    expect(judge(target, [], "by round")).toMatchObject({ measured: "", verdict: "not measured" });
  });
});

const SAMPLES = [...samplesOf("ours", 50, 40, 45), ...samplesOf("theirs", 1_000, 1_000, 900)];
const SECTIONS: Sections = {
  results: [
    {
      id: "hot",
      title: "One hot key",
      rows: ["theirs", "absent", "ours"],
      columns: [
        textColumn("who", (id) => id),
        medianColumn("ns", "ns"),
        rangeColumn("ns"),
        timesColumn("× theirs", "ns", (row) => (row === "ours" ? ["theirs"] : []), 3),
      ],
    },
  ],
};
const REPORT: Report = {
  setting: { date: "2026-01-31" },
  targets: [
    { text: "fast", aim: "≥ 2 ×", measured: "2.50 ×", range: "2.00 to 3.00", byProcessor: "2.4", verdict: "reached" },
    { text: "small", aim: "≤ 9", measured: "", verdict: "not measured" },
  ],
  rows: summarize(SAMPLES),
  misses: [
    { kind: "skipped", name: "a", reason: "gcc is not installed" },
    { kind: "skipped", name: "b", reason: "gcc is not installed" },
  ],
};
const BLOCKS = ["setting", "targets", "results"].map((name) => `<!-- bench: ${name} -->\nold\n<!-- bench ends -->`);

describe("the page", () => {
  const page = fillPage(`# Bench\n\n${BLOCKS.join("\nprose\n")}\n`, REPORT, SECTIONS);
  const cellsOf = (line: string) => Array.from(line.slice(1, -1).split("|"), (cell) => cell.trim());
  const rows = page.split("\n").map(cellsOf);

  it("keeps its prose and replaces its blocks", () => {
    expect(page).toMatch(/^# Bench\n.*prose.*prose.*<!-- bench ends -->\n$/s);
    expect(page).not.toContain("old");
    expect(fillPage(page, REPORT, SECTIONS)).toBe(page);
  });

  it("has a row for each measured row, in the order of the table", () => {
    const [theirs, ours] = rows.slice(rows.findIndex(([who]) => who === "theirs"));
    expect(theirs).toEqual(["theirs", "1,000", "900 to 1,000", ""]);
    expect(ours).toEqual(["ours", "45.0", "40.0 to 50.0", "0.045"]);
  });

  it("has the setting, the targets, and each reason for a missing measurement once", () => {
    expect(rows).toContainEqual(["date", "2026-01-31"]);
    expect(rows).toContainEqual(["fast", "≥ 2 ×", "2.50 ×", "2.00 to 3.00", "2.4", "reached"]);
    expect(page).toContain("- a, b skipped: gcc is not installed\n");
  });

  it("pads its tables", () => {
    const tables = page.split("\n\n").filter((block) => block.startsWith("|"));
    expect(tables.map((table) => new Set(table.split("\n").map(({ length }) => length)).size)).toEqual([1, 1, 1]);
  });

  it("must have every block", () => {
    expect(() => fillPage(BLOCKS.slice(1).join("\n"), REPORT, SECTIONS)).toThrow("<!-- bench: setting -->");
  });
});

it("a report prints without options and unmeasured targets", () => {
  const text = consoleText(REPORT, SECTIONS);
  expect(text).toContain("One hot key");
  expect(text).not.toMatch(/not measured/);
});
