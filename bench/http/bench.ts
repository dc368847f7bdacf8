import type { Bound } from "../harness/bounds.ts";
import { medianColumn, type Table } from "../harness/page.ts";
import type { Bench } from "../harness/run-bench.ts";
import { compareServers, loadSetting } from "../harness/side-by-side.ts";
import { contenderOf } from "./measure.ts";
import { FRAMEWORKS, FRONTS, type Framework, frontsOf } from "./variants.ts";

const COLUMNS = [medianColumn("requests/s, by what is in front", "perSecond")];

const titleOf = (framework: Framework) => (framework === "node" ? "node:http" : framework);

const TABLES = FRAMEWORKS.map((framework): Table => {
  const rows = Object.fromEntries(frontsOf(framework).map((front) => [front, FRONTS[front]]));
  return { id: framework, title: titleOf(framework), rows, columns: COLUMNS };
});

/** By processor time, which other work on the machine changes least. */
function least(framework: Framework, over: "nothing" | "usual", bound: number, what: string): Bound {
  const paths = { of: `${framework} / ${over} / cpuUs`, over: `${framework} / tollgate / cpuUs` };
  return { text: `${titleOf(framework)} with Tollgate, × ${what}`, is: "≥", bound, ...paths };
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
  async open() {
    const tasks = FRAMEWORKS.map((framework) => {
      const contenders = frontsOf(framework).map((front) => [front, contenderOf({ framework, front })] as const);
      return compareServers(framework, "nothing", Object.fromEntries(contenders));
    });
    return { tasks, setting: await loadSetting() };
  },
};
