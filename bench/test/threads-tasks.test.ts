import { describe, expect, it } from "vitest";
import { ROWS } from "../threads/catalog.ts";
import {
  allThreadTasks,
  type FinishedTask,
  nameOf,
  orderOfRound,
  type ThreadOutcome,
} from "../threads/orchestrate/task.ts";
import { summarizeThreads } from "../threads/report/summarize.ts";
import { THREAD_TARGETS } from "../threads/report/targets.ts";
import type { ThreadCount } from "../threads/row.ts";

const tasks = allThreadTasks(ROWS);

describe("the rows across threads", () => {
  it("have each name once", () => {
    expect(new Set(tasks.map(nameOf)).size).toBe(tasks.length);
  });

  it("have all that a target names", () => {
    const ids = new Set(ROWS.map(({ id }) => id));
    const named = THREAD_TARGETS.flatMap(({ ours, over }) => [ours.row, ...(over === undefined ? [] : [over.row])]);
    expect(named.filter((row) => !ids.has(row))).toEqual([]);
  });
});

describe("orderOfRound across threads", () => {
  it("has every task once, in an order that differs by round", () => {
    const [first, second] = [orderOfRound(tasks, 1).map(nameOf), orderOfRound(tasks, 2).map(nameOf)];
    expect([...first].sort()).toEqual(tasks.map(nameOf).sort());
    expect(second).not.toEqual(first);
    expect([...second].sort()).toEqual([...first].sort());
  });

  it("keeps together what is compared", () => {
    const groups = orderOfRound(tasks, 3).map(({ row }) => row.group);
    expect(groups.filter((group, i) => group !== groups[i - 1])).toEqual([...new Set(groups)]);
  });
});

describe("summarizeThreads", () => {
  it("brings rounds together, in the order of the rows", () => {
    const finished = [
      did("cluster", 1, { kind: "measured", perSecond: 70 }),
      did("shared", 2, { kind: "measured", perSecond: 3 }),
      did("shared", 1, { kind: "measured", perSecond: 5 }),
      did("shared", 1, { kind: "measured", perSecond: 9 }),
      did("shared", 1, { kind: "measured", perSecond: 4 }),
    ];
    const { tables, misses } = summarizeThreads(finished, ROWS);
    expect(tables).toMatchObject([
      {
        id: "threads-hot",
        rows: [
          {
            row: "shared",
            speeds: [
              { threads: 1, perSecond: { median: 5, min: 4, max: 9 } },
              { threads: 2, perSecond: { median: 3 } },
            ],
          },
          { row: "cluster", speeds: [{ threads: 1, perSecond: { median: 70 } }] },
        ],
      },
    ]);
    expect([tables.length, misses]).toEqual([1, []]);
  });

  it("says what was not measured, once for each reason", () => {
    const missing = { kind: "skipped", reason: "rustc is not installed" } as const;
    const finished = [
      did("rust-loop", 1, missing),
      did("shared", 1, { kind: "failed", reason: "units left: expected 1, got 2" }),
      did("rust-table", 4, missing),
    ];
    expect(summarizeThreads(finished, ROWS)).toEqual({
      tables: [],
      misses: [
        { kind: "skipped", what: "threads-hot / rust-loop × 1, threads-keys / rust-table × 4", reason: missing.reason },
        { kind: "failed", what: "threads-hot / shared × 1", reason: "units left: expected 1, got 2" },
      ],
    });
  });
});

function did(id: string, threads: ThreadCount, outcome: ThreadOutcome): FinishedTask {
  const task = tasks.find((one) => one.row.id === id && one.threads === threads);
  if (task === undefined) throw new Error(`no row is called ${id}`);
  return { task, outcome };
}
