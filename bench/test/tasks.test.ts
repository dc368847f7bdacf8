import { describe, expect, it } from "vitest";
import { CATALOG } from "../contenders/catalog.ts";
import { GUARDED } from "../guard/guarded.ts";
import { tasksFor } from "../guard/tasks.ts";
import { allTasks, nameOf, orderOfRound } from "../orchestrate/task.ts";
import type { Figure } from "../report/figure.ts";
import { TARGETS } from "../report/targets.ts";

describe("orderOfRound", () => {
  const tasks = allTasks(CATALOG);

  it("has every task once", () => {
    const order = orderOfRound(tasks, 1);
    expect(order.map(nameOf).sort()).toEqual(tasks.map(nameOf).sort());
  });

  it("differs by round, and is the same for the same round", () => {
    expect(orderOfRound(tasks, 2)).not.toEqual(orderOfRound(tasks, 1));
    expect(orderOfRound(tasks, 2)).toEqual(orderOfRound(tasks, 2));
  });

  it("keeps together what is compared", () => {
    const groups = orderOfRound(tasks, 3).map(({ job }) => `${job.keys} ${job.limit}`);
    const changes = groups.filter((group, i) => group !== groups[i - 1]);
    expect(changes).toEqual([...new Set(groups)]);
  });
});

describe("the catalog", () => {
  it("has each id once", () => {
    const ids = CATALOG.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has every contender that a target or a guarded ratio names, in the table where it is looked for", () => {
    const ratios = [...Object.values(GUARDED), ...TARGETS.flatMap((one) => ("ratio" in one ? [one.ratio] : []))];
    const figures = [
      ...ratios.flatMap(({ ours, theirs }) => [ours, theirs]),
      ...TARGETS.flatMap((one) => ("figure" in one ? [one.figure] : [])),
    ];
    expect(figures.flatMap(namesIn).filter((name) => !NAMES.has(name))).toEqual([]);
  });
});

const NAMES = new Set(
  allTasks(CATALOG).flatMap(({ entry, job }) => [
    ...job.passes.map(({ table }) => `${table} / ${entry.id}`),
    ...(job.weighs ? [`weight / ${entry.id}`] : []),
  ]),
);

function namesIn(figure: Figure): string[] {
  if (figure.of === "ns") return figure.entries.map((entry) => `${figure.table} / ${entry}`);
  return figure.of === "fastest rival" ? [] : [`weight / ${figure.entry}`];
}

describe("tasksFor", () => {
  it("has the contenders of a ratio, and of the rivals those that keep all keys", () => {
    const names = tasksFor([GUARDED["million, batch, over the fastest rival"]!]).map(nameOf);
    expect(names.sort()).toEqual([
      "million / express-rate-limit",
      "million / fastify-rate-limit-large",
      "million / hono-rate-limiter",
      "million / limiter",
      "million / rate-limiter-flexible",
      "million-batches / table-batches",
    ]);
  });

  it("weighs what is compared by weight", () => {
    const names = tasksFor([GUARDED["bytes a key, table, over rate-limiter-flexible"]!]).map(nameOf);
    expect(names.sort()).toEqual(["weight / rate-limiter-flexible", "weight / table"]);
  });
});
