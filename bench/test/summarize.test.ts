import { describe, expect, it } from "vitest";
import { CATALOG } from "../contenders/catalog.ts";
import type { Measurements } from "../measure/measurements.ts";
import type { Outcome, Task } from "../orchestrate/task.ts";
import { summarize } from "../report/summarize.ts";
import { type JobId, jobOf } from "../workloads/job.ts";

function task(id: string, job: JobId): Task {
  const entry = CATALOG.find((one) => one.id === id);
  if (entry === undefined) throw new Error(`no contender is called ${id}`);
  return { entry, job: jobOf(job) };
}

function measured(measurements: Measurements): Outcome {
  return { kind: "measured", measurements };
}

function took(ns: number): Outcome {
  return measured({ ns: { hot: ns } });
}

describe("summarize", () => {
  it("brings rounds together, in the order of the catalog", () => {
    const limiter = task("limiter", "hot");
    const memory = task("memory", "hot");
    const finished = [
      { task: limiter, outcome: took(80) },
      { task: memory, outcome: took(50) },
      { task: memory, outcome: took(40) },
      { task: limiter, outcome: took(90) },
      { task: memory, outcome: took(70) },
    ];
    const { tables, weights, misses } = summarize(finished, CATALOG);
    expect(tables.map(({ id }) => id)).toEqual(["hot"]);
    expect(tables[0]?.rows).toMatchObject([
      { entry: "memory", family: "tollgate", ns: { median: 50, min: 40, max: 70 } },
      { entry: "limiter", family: "rival", ns: { median: 85, min: 80, max: 90 } },
    ]);
    expect([weights, misses]).toEqual([[], []]);
  });

  it("says who forgets keys", () => {
    const weight = { bytesPerKey: 1, worstStallMs: 2, collectMs: 3 };
    const finished = [
      { task: task("fastify-rate-limit", "million"), outcome: measured({ ns: { million: 100 } }) },
      { task: task("fastify-rate-limit", "weight"), outcome: measured({ ns: {}, weight }) },
    ];
    const { tables, weights } = summarize(finished, CATALOG);
    expect(tables[0]?.rows[0]?.forgets).toBe(true);
    expect(weights).toMatchObject([{ forgets: true, bytesPerKey: { median: 1 }, collectMs: { median: 3 } }]);
  });

  it("says what was not measured, and why", () => {
    const finished = [
      { task: task("table", "hot"), outcome: { kind: "failed", reason: "no such export" } as const },
      { task: task("floor", "thousand"), outcome: { kind: "skipped", reason: "gcc is not installed" } as const },
    ];
    expect(summarize(finished, CATALOG)).toEqual({
      tables: [],
      weights: [],
      misses: [
        { kind: "failed", what: "hot / table", reason: "no such export" },
        { kind: "skipped", what: "thousand / floor", reason: "gcc is not installed" },
      ],
    });
  });
});
