import type { Bound } from "../harness/bounds.ts";
import { runChild, STEADY_HEAP } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { type Column, medianColumn, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { ROWS, type Row, type RowId, WORKLOADS, type Workload } from "./contenders.ts";
import { LONE, type LoneOrder } from "./lone.ts";
import type { VariantOrder } from "./measure.ts";
import { startRedis } from "./server.ts";

const FLAGS = [STEADY_HEAP];
const IDS = Object.keys(ROWS) as readonly RowId[];

const twoDigits = (value: number) => value.toFixed(2);
const fourDigits = (value: number) => value.toFixed(4);

const COLUMNS: readonly Column[] = [medianColumn("decisions/s, 512 calls in flight", "perSecond")];

function rowsOf(workload: Workload): readonly RowId[] {
  return IDS.filter((id) => (ROWS[id] as Row).workloads.includes(workload));
}

function namesOf(rows: readonly RowId[]): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map((id) => [id, ROWS[id].name]));
}

const LONE_TABLE: Table = {
  id: "lone",
  title: "One call at a time",
  rows: namesOf(LONE),
  columns: [medianColumn("client µs", "clientUs", twoDigits), medianColumn("p50 ms", "p50Ms", fourDigits)],
};

const LIST = Object.keys(WORKLOADS) as readonly Workload[];
const TABLES = LIST.map((id): Table => {
  return { id, title: WORKLOADS[id].title, rows: namesOf(rowsOf(id)), columns: COLUMNS };
});

function tasksOf(port: number, quick: boolean): Task[] {
  // Until V8 has optimized what the contenders run, the one with more code would look slower than it is.
  const plan = quick ? { warmUpMs: 500, ms: 250 } : { warmUpMs: 1_500, ms: 700 };
  const tasks = LIST.flatMap((workload) =>
    rowsOf(workload).map((row): Task => {
      const order: VariantOrder = { row, workload, port, ...plan };
      return {
        table: workload,
        rows: [row],
        measure: async () => ({ [row]: await runChild<Figures>("redis", order, FLAGS) }),
      };
    }),
  );
  const lone: LoneOrder = { port, warmUpMs: 2 * plan.warmUpMs };
  return [...tasks, { table: "lone", rows: LONE, measure: () => runChild("redis lone", lone, FLAGS) }];
}

function over(theirs: RowId, bound: number, table: Workload, what: string): Bound {
  const paths = { of: `${table} / tollgate / perSecond`, over: `${table} / ${theirs} / perSecond` };
  return { text: `${WORKLOADS[table].title}, × ${what}`, is: "≥", bound, ...paths };
}

export const BENCH: Bench = {
  name: "redis",
  packages: ["tollgate", "ioredis", "rate-limiter-flexible", "rate-limit-redis"],
  tables: [LONE_TABLE, ...TABLES],
  bounds: [
    over("incr", 1.2, "distinct", "INCR"),
    over("flexible", 2.5, "distinct", "rate-limiter-flexible"),
    over("pipelined", 2.5, "distinct", "rate-limiter-flexible, auto-pipelined"),
    over("incr", 4, "hot", "INCR"),
    {
      text: "client time of a lone `consume` over that of rate-limiter-flexible",
      ...{ is: "≤", bound: 1.1, of: "lone / consume / clientUs", over: "lone / flexible / clientUs" },
    },
    { text: "bytes of one token bucket, key of 16 characters", is: "≤", bound: 128, of: "distinct / tollgate / bytes" },
  ],
  async open(quick) {
    const { port, setting, close } = await startRedis();
    return { tasks: tasksOf(port, quick), setting, close };
  },
};
