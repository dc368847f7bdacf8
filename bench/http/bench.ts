import { medianColumn, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import type { Aim, Target } from "../harness/targets.ts";
import { findGenerator, type Generator } from "./generator.ts";
import { checkLimit, FULL, measureVariant, type Plan, QUICK } from "./measure.ts";
import { FRAMEWORKS, type Front, idOf, nameOf, VARIANTS, type Variant } from "./variants.ts";

/** Servers of one framework are compared. */
export function tasksOf(plan: Plan, generator: Generator): Task[] {
  return VARIANTS.map((variant) => ({
    name: nameOf(variant),
    group: variant.framework,
    async check() {
      await checkLimit(variant);
      return [];
    },
    async measure() {
      const figures = await measureVariant(variant, plan, generator);
      return [{ table: variant.framework, row: variant.id, figures }];
    },
  }));
}

function ratioText(ratio: number): string {
  return ratio.toFixed(3);
}

const COLUMNS = [
  textColumn("in front of the handler", (id) => VARIANTS.find((one) => one.id === id)?.front ?? id),
  medianColumn("requests/s", "requestsPerSecond"),
  rangeColumn("requestsPerSecond"),
  medianColumn("× bare", "overBare", ratioText),
  rangeColumn("overBare", (ratio) => ratio.toFixed(2)),
  medianColumn("µs each", "cpuUsPerRequest"),
  medianColumn("× bare", "overBareByProcessor", ratioText),
  medianColumn("busy", "busy", (fraction) => `${(fraction * 100).toFixed(0)} %`),
];

const TABLES = FRAMEWORKS.map((framework): Table => {
  const rows = VARIANTS.filter((one) => one.framework === framework).map(({ id }) => id);
  return { id: framework, title: framework, rows, columns: COLUMNS };
});

function bareOf(row: string): string | undefined {
  const { framework, front } = VARIANTS.find(({ id }) => id === row) ?? {};
  return framework === undefined || front === "nothing" ? undefined : idOf(framework, "nothing");
}

const atLeast = (value: number): Aim => ({ is: "≥", value, digits: 3 });
const MORE: Aim = { is: ">", value: 1, digits: 3 };

const TARGETS: readonly Target[] = [
  target("node:http, no headers, over the bare server", "node:http", "Tollgate, no headers", "nothing", atLeast(0.96)),
  target("node:http, two headers, over the bare server", "node:http", "Tollgate", "nothing", atLeast(0.88)),
  target("express over the bare server", "express", "Tollgate", "nothing", atLeast(0.93)),
  target("fastify over the bare server", "fastify", "Tollgate", "nothing", atLeast(0.86)),
  target("hono over the server with an empty middleware", "hono", "Tollgate", "empty middleware", atLeast(0.9)),
  target("express over express-rate-limit", "express", "Tollgate", "usual limiter", MORE),
  target("fastify over @fastify/rate-limit", "fastify", "Tollgate", "usual limiter", MORE),
  target("hono over hono-rate-limiter", "hono", "Tollgate", "usual limiter", MORE),
];

function target(text: string, framework: Variant["framework"], ours: Front, theirs: Front, aim: Aim): Target {
  const ratioOf = (name: string) => {
    const figureOf = (front: Front) => ({ table: framework, rows: [idOf(framework, front)], name });
    return { of: figureOf(ours), over: figureOf(theirs) };
  };
  return { text, ratio: ratioOf("requestsPerSecond"), byProcessor: ratioOf("requestsPerCpuSecond"), aim };
}

export const BENCH: Bench = {
  name: "bench-http",
  packages: [
    ...["tollgate", "express", "express-rate-limit", "fastify", "@fastify/rate-limit", "hono", "@hono/node-server"],
    ...["hono-rate-limiter", "koa"],
  ],
  method: "by round",
  comparisons: [
    { name: "overBare", of: "requestsPerSecond", baseOf: bareOf },
    { name: "overBareByProcessor", of: "requestsPerCpuSecond", baseOf: bareOf },
  ],
  sections: { results: TABLES },
  targets: TARGETS,
  async open(quick) {
    const generator = await findGenerator();
    const plan = quick ? QUICK : FULL;
    const { connections, seconds, warmUpSeconds } = plan;
    const load = `${generator.name}, ${connections} connections, ${seconds} s after ${warmUpSeconds} s of warm-up`;
    return { tasks: tasksOf(plan, generator), setting: { load } };
  },
};
