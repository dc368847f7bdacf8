import type { Bound } from "../harness/bounds.ts";
import { runChild } from "../harness/child-process.ts";
import type { Figures } from "../harness/figures.ts";
import { type Column, medianColumn, type Table } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { CLUSTER_BOUNDS, CLUSTER_TABLE, THREADS_TABLE, threadTasks } from "../threads/bench.ts";
import { measureFloor } from "./floor.ts";
import { LOADING } from "./limits-file.ts";
import { RIVAL_IDS, ROWS } from "./rows.ts";
import { SHAPES, type ShapeId, type ShapeOrder, VERBS } from "./shapes.ts";
import { type Plan, planOf, type RowOrder, TABLES, type TableId } from "./tables.ts";

const FLEXIBLE = "rate-limiter-flexible";
const FLAGS = ["--expose-gc"];

/** What a decision takes beside the rivals. */
const SPEED: readonly Column[] = [medianColumn("ns a decision", "ns")];

const COLUMNS: Readonly<Partial<Record<TableId, readonly Column[]>>> = {
  weight: [medianColumn("bytes a key", "bytes"), medianColumn("worst call, ms", "worstMs")],
  shapes: VERBS.map((verb) => medianColumn(`\`${verb}\``, verb)),
};

/** For scale: no keys, no limits that change, no JavaScript. */
const FLOOR = { table: "hot", row: "floor", name: "one bucket in one 64-bit word, in C" } as const;

function rowsOf(table: TableId): Readonly<Record<string, string>> {
  const rows = table === "shapes" ? SHAPES : ROWS;
  const shown = Object.entries<{ readonly name: string; readonly tables?: readonly TableId[] }>(rows);
  return Object.fromEntries(
    shown.filter(([, { tables }]) => tables?.includes(table) ?? true).map(([id, { name }]) => [id, name]),
  );
}

function shownOf(table: TableId): Readonly<Record<string, string>> {
  return table === FLOOR.table ? { ...rowsOf(table), [FLOOR.row]: FLOOR.name } : rowsOf(table);
}

const IDS = Object.keys(TABLES) as readonly TableId[];

const LOADING_TABLE: Table = {
  id: "loading",
  title: "A limits file of 10,000 rules",
  rows: LOADING,
  columns: [medianColumn("ms", "ms")],
};

function tasksOf(quick: boolean): Task[] {
  const rows = IDS.flatMap((table) => {
    const plan = planOf(table, quick);
    return Object.keys(rowsOf(table)).map((row): Task => {
      const measure = async () => ({
        [row]: await (table === "shapes" ? measureVerbs(row as ShapeId, plan) : measureRow({ table, row, plan })),
      });
      return { table, rows: [row], measure };
    });
  });
  const loading = Object.keys(LOADING);
  return [
    ...rows,
    ...threadTasks(quick),
    { table: FLOOR.table, rows: [FLOOR.row], measure: async () => ({ [FLOOR.row]: await measureFloor() }) },
    { table: LOADING_TABLE.id, rows: loading, measure: () => runChild("limits file", {}) },
  ];
}

function measureRow(order: RowOrder): Promise<Figures> {
  return runChild("process", order, FLAGS);
}

async function measureVerbs(row: ShapeId, plan: Plan): Promise<Figures> {
  let figures: Figures = {};
  for (const verb of VERBS) {
    const order: ShapeOrder = { row, verb, plan };
    figures = { ...figures, ...(await runChild<Figures>("shape", order)) };
  }
  return figures;
}

function least(text: string, bound: number, table: TableId, theirs: string, ours: string): Bound {
  const paths = { of: `${table} / ${theirs} / ns`, over: `${table} / ${ours} / ns` };
  return { text, is: "≥", bound, ...paths };
}

const RIVALS = RIVAL_IDS.join(", ");
const HONO = "hono-rate-limiter";

const BOUNDS: readonly Bound[] = [
  least("`allow`, one hot key, × the fastest rival", 0.95, "hot", RIVALS, "memory"),
  least("`allow`, 1,000 keys, × the fastest rival", 1.05, "thousand", RIVALS, "memory"),
  least("`allow`, 1,000,000 keys, memory, × the fastest rival", 1.15, "million", RIVALS, "memory"),
  least("`allow`, 1,000,000 keys, table, × the fastest rival", 3, "million", RIVALS, "table"),
  least("`consume`, one hot key, × hono-rate-limiter", 0.6, "hot", HONO, "memory-consume"),
  least("`consume`, 1,000 keys, × hono-rate-limiter", 0.6, "thousand", HONO, "memory-consume"),
  least(`\`consume\`, one hot key, × ${FLEXIBLE}`, 2.5, "hot", FLEXIBLE, "memory-consume"),
  least(`\`consume\`, 1,000 keys, × ${FLEXIBLE}`, 2.5, "thousand", FLEXIBLE, "memory-consume"),
  ...VERBS.map((verb): Bound => {
    const [of, over] = [`shapes / idle / ${verb}`, `shapes / one / ${verb}`];
    return { text: `\`${verb}\` for idle keys over busy ones`, is: "≤", bound: 1.3, of, over };
  }),
  { text: "bytes a key, memory", is: "≤", bound: 70, of: "weight / memory / bytes" },
  { text: "bytes a key, table", is: "≤", bound: 45, of: "weight / table / bytes" },
  ...CLUSTER_BOUNDS,
];

export const BENCH: Bench = {
  name: "process",
  packages: [
    ...["tollgate", "@fastify/rate-limit", "express-rate-limit", "hono-rate-limiter"],
    ...["limiter", "rate-limiter-flexible", "yaml"],
  ],
  tables: [
    ...IDS.map((id): Table => ({ id, title: TABLES[id].title, rows: shownOf(id), columns: COLUMNS[id] ?? SPEED })),
    LOADING_TABLE,
    THREADS_TABLE,
    CLUSTER_TABLE,
  ],
  bounds: BOUNDS,
  open: async (quick) => ({ tasks: tasksOf(quick) }),
};
