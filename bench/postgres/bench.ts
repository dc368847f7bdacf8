import type { Bound } from "../harness/bounds.ts";
import { runChild, STEADY_HEAP } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { medianColumn, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import type { RowId, VariantOrder } from "./measure.ts";
import { startPostgres } from "./server.ts";

const KEYS = { hot: 1, keys: 10_000 } as const;
const ROWS: Readonly<Record<RowId, string>> = {
  tollgate: "Tollgate",
  consume: "Tollgate, `consume`",
  logged: "Tollgate, a logged table",
  flexible: "rate-limiter-flexible",
  unlogged: "rate-limiter-flexible, its table made UNLOGGED",
};
const IDS = Object.keys(ROWS) as readonly RowId[];
const CALLS = 1_000_000;

const whole = (value: number) => value.toFixed(0);
const percent = (part: number) => `${(part * 100).toFixed(1)} %`;

const COLUMNS = [medianColumn("decisions/s, 512 calls in flight", "perSecond")];
const TABLES: readonly Table[] = [
  { id: "hot", title: "one hot row", rows: ROWS, columns: COLUMNS },
  { id: "keys", title: "10,000 rows in turn", rows: ROWS, columns: COLUMNS },
  {
    id: "table",
    title: "After a million calls on 10,000 rows in turn",
    rows: { tollgate: ROWS.tollgate, flexible: ROWS.flexible },
    columns: [
      medianColumn("updates in place (HOT)", "hot", percent),
      medianColumn("bytes a key, with its index", "bytes", whole),
    ],
  },
];

function tasksOf(port: number, pid: number, quick: boolean): Task[] {
  const plan = quick ? { warmUpMs: 200, ms: 500 } : { warmUpMs: 1_000, ms: 2_000 };
  const task = (table: string, row: RowId, more: Pick<VariantOrder, "keys" | "calls">): Task => {
    const order: VariantOrder = { row, port, pid, ...plan, ...more };
    const measure = async () => ({ [row]: await runChild<Figures>("postgres", order, [STEADY_HEAP]) });
    return { table, rows: [row], measure };
  };
  const timed = Object.entries(KEYS).flatMap(([table, keys]) => IDS.map((row) => task(table, row, { keys })));
  const calls = quick ? CALLS / 20 : CALLS;
  const long = (["tollgate", "flexible"] as const).map((row) => task("table", row, { keys: KEYS.keys, calls }));
  return [...timed, ...long];
}

function over(table: keyof typeof KEYS, what: string): Bound {
  const paths = { of: `${table} / consume / perSecond`, over: `${table} / unlogged / perSecond` };
  return { text: `\`consume\`, ${what}, × rate-limiter-flexible, UNLOGGED`, is: "≥", bound: 2, ...paths };
}

export const BENCH: Bench = {
  name: "postgres",
  packages: ["tollgate", "pg", "rate-limiter-flexible"],
  tables: TABLES,
  bounds: [
    over("hot", "one hot row"),
    over("keys", "10,000 rows"),
    { text: "the part of updates that are in place (HOT)", is: "≥", bound: 0.99, of: "table / tollgate / hot" },
  ],
  async open(quick) {
    const { port, pid, setting, close } = await startPostgres();
    return { tasks: tasksOf(port, pid, quick), setting, close };
  },
};
