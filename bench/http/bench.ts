import type { Bound } from "../harness/bounds.ts";
import { medianColumn, type Table, timesColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { FULL, loadText, QUICK } from "../harness/wrk.ts";
import { measureVariant } from "./measure.ts";
import { FRAMEWORKS, FRONTS, type Framework, frontsOf } from "./variants.ts";

const COLUMNS = [
  medianColumn("requests/s", "perSecond"),
  timesColumn("× nothing", "perSecond", () => ["nothing"]),
  medianColumn("processor µs each", "cpuUs"),
  timesColumn("× nothing", "cpuUs", () => ["nothing"], "less"),
  medianColumn("busy", "busy", (part) => `${(part * 100).toFixed(0)} %`),
];

const TABLES = FRAMEWORKS.map((framework): Table => {
  const rows = Object.fromEntries(frontsOf(framework).map((front) => [front, FRONTS[front]]));
  return {
    id: framework,
    title: `${framework === "node" ? "node:http" : framework}, by what is in front`,
    rows,
    columns: COLUMNS,
  };
});

/** By processor time, which other work on the machine changes least. */
function least(framework: Framework, over: "nothing" | "usual", bound: number, what: string): Bound {
  const paths = { of: `${framework} / ${over} / cpuUs`, over: `${framework} / tollgate / cpuUs` };
  return {
    text: `${framework === "node" ? "node:http" : framework} with Tollgate, × ${what}`,
    is: "≥",
    bound,
    ...paths,
  };
}

export const BENCH: Bench = {
  name: "http",
  packages: [
    ...["tollgate", "express", "express-rate-limit", "fastify", "@fastify/rate-limit", "hono", "@hono/node-server"],
    ...["hono-rate-limiter", "koa"],
  ],
  tables: TABLES,
  bounds: [
    least("node", "nothing", 0.75, "the bare server"),
    least("express", "usual", 0.9, "express-rate-limit"),
    least("fastify", "usual", 0.85, "@fastify/rate-limit"),
    least("hono", "usual", 1, "hono-rate-limiter"),
  ],
  async open(quick) {
    const load = quick ? QUICK : FULL;
    const tasks = FRAMEWORKS.flatMap((framework) =>
      frontsOf(framework).map((front): Task => {
        const measure = async () => ({ [front]: await measureVariant({ framework, front }, load) });
        return { table: framework, rows: [front], measure };
      }),
    );
    return { tasks, setting: { load: await loadText(load) } };
  },
};
