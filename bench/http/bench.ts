import { medianColumn, rangeColumn, type Table, textColumn, timesColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { ratioAt, type Target, target } from "../harness/targets.ts";
import { generatorName } from "./generator.ts";
import { checkLimit, FULL, measureVariant, type Plan, QUICK } from "./measure.ts";
import { FRAMEWORKS, idOf, nameOf, VARIANTS } from "./variants.ts";

/** Servers of one framework are compared. */
export function tasksOf(plan: Plan): Task[] {
  return VARIANTS.map((variant) => ({
    name: nameOf(variant),
    group: variant.framework,
    async check() {
      await checkLimit(variant);
      return [];
    },
    async measure() {
      const figures = await measureVariant(variant, plan);
      return [{ table: variant.framework, row: variant.id, figures }];
    },
  }));
}

const COLUMNS = [
  textColumn("in front of the handler", (id) => VARIANTS.find((one) => one.id === id)?.front ?? id),
  medianColumn("requests/s", "requestsPerSecond"),
  rangeColumn("requestsPerSecond"),
  timesColumn("× bare", "requestsPerSecond", bareOf, 3),
  medianColumn("µs each", "cpuUsPerRequest"),
  timesColumn("× bare", "requestsPerCpuSecond", bareOf, 3),
  medianColumn("busy", "busy", (fraction) => `${(fraction * 100).toFixed(0)} %`),
];

const TABLES = FRAMEWORKS.map((framework): Table => {
  const rows = VARIANTS.filter((one) => one.framework === framework).map(({ id }) => id);
  return { id: framework, title: framework, rows, columns: COLUMNS };
});

function bareOf(row: string): readonly string[] {
  const { framework, front } = VARIANTS.find(({ id }) => id === row)!;
  return front === "nothing" ? [] : [idOf(framework, "nothing")];
}

const TWO = "node:http, two headers, over the bare server";

const TARGETS: readonly Target[] = [
  perSecond("node:http, no headers, over the bare server", "≥ 0.96", "node-tollgate-without", "node"),
  perSecond(TWO, "≥ 0.88", "node-tollgate", "node"),
  { ...perSecond(`${TWO}, by processor time`, "≥ 0.90", "node-tollgate", "node", "Cpu"), byProcessor: undefined },
  perSecond("express over the bare server", "≥ 0.93", "express-tollgate", "express"),
  perSecond("fastify over the bare server", "≥ 0.86", "fastify-tollgate", "fastify"),
  perSecond("hono over the server with an empty middleware", "≥ 0.9", "hono-tollgate", "hono-empty"),
  perSecond("express over express-rate-limit", "> 1", "express-tollgate", "express-usual"),
  perSecond("fastify over @fastify/rate-limit", "> 1", "fastify-tollgate", "fastify-usual"),
  perSecond("hono over hono-rate-limiter", "> 1", "hono-tollgate", "hono-usual"),
];

function perSecond(text: string, aim: string, ours: string, theirs: string, of: "" | "Cpu" = ""): Target {
  const framework = VARIANTS.find(({ id }) => id === ours)?.framework;
  const pathOf = (row: string, unit: "" | "Cpu") => `${framework} / ${row} / requestsPer${unit}Second`;
  const byProcessor = ratioAt(pathOf(ours, "Cpu"), pathOf(theirs, "Cpu"));
  return { ...target(text, aim, pathOf(ours, of), pathOf(theirs, of)), byProcessor };
}

export const BENCH: Bench = {
  name: "bench-http",
  packages: [
    ...["tollgate", "express", "express-rate-limit", "fastify", "@fastify/rate-limit", "hono", "@hono/node-server"],
    ...["hono-rate-limiter", "koa"],
  ],
  method: "by round",
  sections: { results: TABLES },
  targets: TARGETS,
  async open(quick) {
    const plan = quick ? QUICK : FULL;
    const { connections, seconds, warmUpSeconds } = plan;
    const load = `${await generatorName()}, ${connections} connections, ${seconds} s after ${warmUpSeconds} s of warm-up`;
    return { tasks: tasksOf(plan), setting: { load } };
  },
};
