import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { GUARDED, tasksFor } from "../guard/guarded.ts";
import { judge, type Ratios, settle } from "../guard/settle.ts";
import type { Ratio } from "../harness/figures.ts";
import { fillPage } from "../harness/page.ts";
import type { Report } from "../harness/results.ts";
import type { Bench } from "../harness/run-bench.ts";
import { BENCH as HTTP } from "../http/bench.ts";
import { BENCH as LIMITS } from "../limits/bench.ts";
import { BENCH as METRICS } from "../metrics/bench.ts";
import { BENCH as PROCESS } from "../process/bench.ts";
import { BENCH as REDIS } from "../redis/bench.ts";
import recorded from "../results/recorded.json" with { type: "json" };
import { BENCH as SERVICE } from "../service/bench.ts";
import { BENCH as WAITING } from "../waiting/bench.ts";

const ALL: readonly Bench[] = [PROCESS, HTTP, REDIS, SERVICE, WAITING, LIMITS, METRICS];
const BENCHES: readonly (readonly [string, Bench])[] = ALL.map((bench) => [bench.name, bench]);

function namesIn({ of, over }: Ratio): string[] {
  return [of, ...(over === undefined ? [] : [over])].flatMap(({ table, rows }) =>
    rows.map((row) => `${table} / ${row}`),
  );
}

describe.each(BENCHES)("%s", (name, { sections, targets }) => {
  const tables = Object.values(sections).flat();

  it("has each row once in a table, and every row that a target names", () => {
    const rows = tables.flatMap((table) => table.rows.map((row) => `${table.id} / ${row}`));
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows).toEqual(expect.arrayContaining(targets.flatMap(({ ratio }) => namesIn(ratio))));
    expect(new Set(targets.map(({ text }) => text)).size).toBe(targets.length);
  });

  it("has a page that shows its stored results and its targets", async () => {
    const page = await readFile(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");
    const results = await readFile(new URL(`../results/${name}.json`, import.meta.url), "utf8");
    const report = JSON.parse(results) as Report;
    expect(fillPage(page, report, sections)).toBe(page);
    expect(report.targets.map(({ text }) => text)).toEqual(targets.map(({ text }) => text));
  });
});

describe("the guard", () => {
  it("has a recorded value for each ratio", () => {
    expect(Object.keys(recorded).toSorted()).toEqual(Object.keys(GUARDED).toSorted());
  });

  it("measures the rows of its ratios, and the rivals that keep all keys", () => {
    const rowsOf = (name: string) => tasksFor([GUARDED[name]!]).map((task) => task.name);
    const rivals = rowsOf("million, batch, over the fastest rival");
    expect(rivals).toEqual(expect.arrayContaining(["million-batches / table-batches", "million / limiter"]));
    expect(rivals).toContain("million / fastify-rate-limit-large");
    expect([rivals.length, rivals.includes("million / fastify-rate-limit")]).toEqual([6, false]);
    const weighed = rowsOf("bytes a key, table, over rate-limiter-flexible");
    expect(weighed).toEqual(["weight / table", "weight / rate-limiter-flexible"]);
  });

  it.each([
    [{ a: 10 }, { a: 8 }, "holds"],
    [{ a: 10 }, { a: 12 }, "holds"],
    [{ a: 10 }, { a: 7.99 }, "fell"],
    [{ a: 10 }, {}, "not measured"],
    [{}, { a: 10 }, "not recorded"],
  ])("judges recorded %j and measured %j: %s", (before, now, kind) => {
    expect(judge(before, now)).toMatchObject([{ name: "a", kind }]);
  });

  it.each<[string, Ratios[], string[], string[][]]>([
    ["measures once when everything holds", [{ a: 10, b: 5 }], ["holds", "holds"], [["a", "b"]]],
    ["measures fallen ratios again", [{ a: 10, b: 1 }, { b: 4.5 }], ["holds", "holds"], [["a", "b"], ["b"]]],
    [
      "gives up after three measurements",
      [{ a: 1, b: 5 }, { a: 2 }, { a: 3 }, { a: 10 }],
      ["fell", "holds"],
      [["a", "b"], ["a"], ["a"]],
    ],
    ["measures no unrecorded ratio again", [{ a: 10, b: 5, c: 1 }], ["holds", "holds", "not recorded"], [["a", "b"]]],
  ])("%s", async (_title, answers, kinds, expected) => {
    const asked: (readonly string[])[] = [];
    const measure = async (names: readonly string[]) => {
      asked.push(names);
      return answers[asked.length - 1]!;
    };
    const verdicts = await settle({ a: 10, b: 5 }, ["a", "b"], measure, () => {});
    expect(verdicts.map(({ kind }) => kind)).toEqual(kinds);
    expect(asked).toEqual(expected);
  });
});
