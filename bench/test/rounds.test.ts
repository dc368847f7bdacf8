import { describe, expect, it } from "vitest";
import { ProgramMissing, reasonOf } from "../harness/child-process.ts";
import { KeyPool } from "../harness/keys.ts";
import { orderOfRound, runRounds, type Task } from "../harness/rounds.ts";
import { readOptions } from "../harness/run-bench.ts";
import { drawIn, type Order } from "../process/jobs.ts";

const TASKS = Array.from({ length: 12 }, (_, i) => ({ name: `task ${i}`, group: `group ${i % 3}` }));

describe("the order of a round", () => {
  it.each([1, 2, 3, 4, 5])("has every task once and keeps groups together: round %d", (round) => {
    const order = orderOfRound(TASKS, round);
    expect(new Set(order)).toEqual(new Set(TASKS));
    expect(order.filter(({ group }, i) => group !== order[i - 1]?.group)).toHaveLength(3);
  });

  it("differs between rounds and is the same for the same round", () => {
    expect(new Set([1, 2, 3, 4].map((round) => JSON.stringify(orderOfRound(TASKS, round))))).toHaveLength(4);
    expect(orderOfRound(TASKS, 3)).toEqual(orderOfRound(TASKS, 3));
  });
});

describe("running rounds", () => {
  it("checks first, then measures each task once a round, and drops failed and skipped tasks", async () => {
    const calls: string[] = [];
    const task = (name: string, error?: Error): Task => ({
      name,
      group: "all",
      check: async () => [{ table: "checks", row: name, figures: { bytes: 1 } }],
      async measure() {
        calls.push(name);
        if (error !== undefined) throw error;
        return [{ table: "speed", row: name, figures: { ns: 2 } }];
      },
    });
    const tasks = [task("good"), task("bad", new Error("broken")), task("absent", new ProgramMissing("no gcc"))];
    const { samples, misses } = await runRounds(tasks, 3, () => {});
    expect(calls.toSorted()).toEqual(["absent", "bad", "good", "good", "good"]);
    expect(samples.filter(({ table }) => table === "checks").map(({ round }) => round)).toEqual([0, 0, 0]);
    expect(samples.filter(({ table }) => table === "speed").map(({ round }) => round)).toEqual([1, 2, 3]);
    expect(misses.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { kind: "skipped", name: "absent", reason: "no gcc" },
      { kind: "failed", name: "bad", reason: "Error: broken" },
    ]);
  });
});

describe("the reason for a failure", () => {
  it.each([
    ["\nError [ERR_X]: no '/home/ann/a.js' from file:///b/c.js\n    at x\n", "Error [ERR_X]: no 'a.js' from c.js"],
    ["", "Command failed: node child.js"],
  ])("is one line without names of folders: %j", (stderr, reason) => {
    expect(reasonOf(Object.assign(new Error("Command failed: /usr/bin/node /x/child.js"), { stderr }))).toBe(reason);
  });
});

describe("the options of a run", () => {
  it.each([
    [[], {}, { rounds: 5, quick: false, only: "", page: false }],
    [["--quick", "--only", "hot"], {}, { rounds: 1, quick: true, only: "hot" }],
    [["--page"], { BENCH_ROUNDS: "3" }, { rounds: 3, page: true }],
  ])("%j with %j", (args, env, options) => {
    expect(readOptions(args, env)).toMatchObject(options);
  });

  it.each([
    [["--quik"], {}, "--quik"],
    [[], { BENCH_ROUNDS: "1.5" }, "BENCH_ROUNDS: expected a whole number from 1 up, got 1.5"],
  ])("%j with %j throws", (args, env, message) => {
    expect(() => readOptions(args, env)).toThrow(message);
  });
});

describe("keys", () => {
  it("are different addresses, the same in each pool", () => {
    const pool = new KeyPool(100_000);
    const keys = Array.from({ length: pool.count }, (_, index) => pool.key(index));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every((key) => /^(?:\d{1,3}\.){3}\d{1,3}$/.test(key))).toBe(true);
    expect(new KeyPool(3).key(2)).toBe(pool.key(2));
  });

  function countsIn(order: Order): number[] {
    const counts = new Array<number>(order === "zipf and new" ? 11_240 : 1_000).fill(0);
    const draw = drawIn(order, 1_000);
    for (let chunk = 0; chunk < 250; chunk += 1) for (const index of draw()) counts[index]! += 1;
    return counts.toSorted((a, b) => b - a);
  }

  it.each([
    ["uniform", 1, 1],
    ["in turn", 1, 1],
    ["zipf and new", 2, 10],
  ] as const)("come in the order %s: the first beside the second and the tenth", (order, second, tenth) => {
    const counts = countsIn(order);
    expect(counts[0]! / counts[1]!).toBeCloseTo(second, 1);
    expect(counts[0]! / counts[9]!).toBeCloseTo(tenth, 0);
    expect(counts.at(-1)).toBeGreaterThan(0);
    expect(counts).toEqual(countsIn(order));
  });
});
