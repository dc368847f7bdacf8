import { nativeProgram, runChild } from "../harness/child-process.ts";
import { type Column, medianColumn, rangeColumn, type Table, textColumn, timesColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { THREAD_TABLES, THREAD_TARGETS, threadTasks } from "../threads/bench.ts";
import { ENTRIES, type Entry, KINDS, rivalsIn } from "./catalog.ts";
import { JOBS, type Job, KEY_COUNTS, keysIn, TABLES, type TableId, TEXTS, VERBS } from "./jobs.ts";
import type { JobOrder, KindsOrder } from "./measure.ts";
import { TARGETS } from "./targets.ts";

const CHILD_OPTIONS = { flags: ["--expose-gc"], timeoutMs: 180_000 };
const C_FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra"];

export interface JobTask extends Task {
  readonly entry: Entry;
  readonly job: Job;
}

/** Every job of every row, each changed by `change`. Jobs of a table of figures, or with as many keys, are compared. */
export function jobTasks(change: (job: Job) => Job = (job) => job): JobTask[] {
  const floor = nativeProgram("gcc", C_FLAGS, "floor/floor.c");
  return JOBS.flatMap((plain) => {
    const job = change(plain);
    const entries = ENTRIES.filter(({ jobs }) => jobs.includes(job.id));
    return entries.map((entry): JobTask => {
      const order: JobOrder = { row: entry.id, job };
      const measure = () =>
        "native" in entry ? measureNatively(floor, entry, job) : runChild<Measured[]>("process", order, CHILD_OPTIONS);
      const group = /^\w+(?=:)/.exec(job.id)?.[0] ?? `${job.keys} ${job.limit}`;
      return { name: `${job.id} / ${entry.id}`, group, entry, job, measure };
    });
  });
}

/** The kinds in one process, and each in a process of its own. */
function kindsTask(change: (job: Job) => Job): Task {
  const job = change(JOBS.find(({ id }) => id === "thousand")!);
  const nsOf = (rows: readonly string[]) =>
    runChild<Record<string, number>>("kinds", { rows, job } satisfies KindsOrder, CHILD_OPTIONS);
  return {
    name: "kinds: twenty at once, and each alone",
    group: "kinds",
    async measure() {
      const together = await nsOf([...KINDS.keys()]);
      const measured: Measured[] = [];
      const add = (row: string, alone: number, beside: number) =>
        measured.push({ table: "kinds", row, figures: { alone, beside, times: beside / alone } });
      for (const [row, beside] of Object.entries(together)) add(row, (await nsOf([row]))[row]!, beside);
      const meanOf = (name: string) => measured.reduce((sum, { figures }) => sum + figures[name]!, 0) / KINDS.size;
      const times = Math.max(...measured.map(({ figures }) => figures["times"]!));
      add("mean", meanOf("alone"), meanOf("beside"));
      return [...measured, { table: "kinds", row: "worst", figures: { times } }];
    },
  };
}

/** One process for each pass. The program draws all keys with the same probability. */
async function measureNatively(
  floor: ReturnType<typeof nativeProgram>,
  { id, native }: Extract<Entry, { native: unknown }>,
  { keys, passes, warmUp, chunks }: Job,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [table, order] of Object.entries(passes)) {
    if (order !== "uniform") continue;
    const ns = await floor([keys, warmUp, chunks, native]);
    measured.push({ table, row: id, figures: { ns } });
  }
  return measured;
}

const NAMES = new Map(ENTRIES.map((entry) => [entry.id, entry]));

function nameColumn(keys: number): Column {
  const nameOf = (id: string) => {
    const { name = id, keeps = keys } = NAMES.get(id) ?? {};
    return keeps < keys ? `${name} (forgets keys)` : name;
  };
  return textColumn("who", nameOf);
}

/** Above 1, the row is faster than the fastest of the others. The loop alone decides nothing. */
function fasterColumn(title: string, others: readonly string[]): Column {
  return timesColumn(title, "ns", (row) => (NAMES.get(row)?.family === "nothing" ? [] : others), 2, "less");
}

const ROWS = ENTRIES.map(({ id }) => id);

function tableOf(id: string, title: string, columns: readonly Column[], rows: readonly string[] = ROWS): Table {
  return { id, title, rows, columns };
}

const SPEED_TABLES = (Object.keys(TABLES) as TableId[]).map((id): Table => {
  const columns = [
    nameColumn(keysIn(id)),
    medianColumn("ns", "ns"),
    rangeColumn("ns"),
    fasterColumn("× the fastest rival", rivalsIn(id)),
    fasterColumn("× rate-limiter-flexible", ["rate-limiter-flexible"]),
  ];
  return tableOf(id, TABLES[id], columns);
});

const two = (value: number) => value.toFixed(2);

const WEIGHT_TABLE = tableOf("weight", "A million keys: memory and pauses", [
  nameColumn(keysIn("million")),
  ...[medianColumn("bytes a key", "bytesPerKey"), rangeColumn("bytesPerKey")],
  ...[medianColumn("worst call, ms", "worstStallMs"), rangeColumn("worstStallMs")],
  ...[medianColumn("full collection, ms", "collectMs"), rangeColumn("collectMs")],
  ...[medianColumn("sweep, ms", "sweep", two), medianColumn("clear, ms", "clear", two)],
]);

const name = nameColumn(0);

const REFILLS = KEY_COUNTS.flatMap((keys) =>
  ["busy", "full again"].map((state) => medianColumn(`${keys.toLocaleString("en")}, ${state}`, `${keys}, ${state}`)),
);
const MINUTE = [
  medianColumn("bytes a key after a minute", "minute"),
  medianColumn("one more with one client", "later"),
];

const VERB_COLUMNS = VERBS.flatMap((verb) => {
  const times = verb === "allow" || verb === "consume" ? [timesColumn("× one limit", verb, () => ["memory"])] : [];
  return [medianColumn(verb, verb), ...times];
});
const KIND_COLUMNS = [
  textColumn("who", (id) => KINDS.get(id)?.name ?? `the ${id}`),
  ...[medianColumn("alone", "alone"), medianColumn("among twenty", "beside")],
  ...[medianColumn("×", "times", two), rangeColumn("times", two)],
];
const FIGURE_TABLES: readonly Table[] = [
  tableOf("verbs", "Verbs, limits and shapes of limiters: 1,000 keys", [name, ...VERB_COLUMNS]),
  tableOf("kinds", "Twenty kinds in one process, beside each alone: 1,000 keys", KIND_COLUMNS, [
    ...KINDS.keys(),
    ...["mean", "worst"],
  ]),
  tableOf("refilled", "Clients that are full again at each call, beside busy ones", [name, ...REFILLS, ...MINUTE]),
  tableOf("texts", "Longer keys: 1,000 keys", [name, ...TEXTS.map((text) => medianColumn(text, text))]),
];

export const BENCH: Bench = {
  name: "bench",
  packages: [
    ...["tollgate", "@fastify/rate-limit", "express-rate-limit", "hono-rate-limiter"],
    ...["limiter", "rate-limiter-flexible"],
  ],
  method: "of medians",
  sections: { results: [...SPEED_TABLES, WEIGHT_TABLE], users: FIGURE_TABLES, threads: THREAD_TABLES },
  targets: [...TARGETS, ...THREAD_TARGETS],
  async open(quick) {
    const shorter = (job: Job): Job => ({ ...job, warmUp: job.warmUp / 4, chunks: job.chunks / 8 });
    const change = quick ? shorter : (job: Job) => job;
    return { tasks: [...jobTasks(change), kindsTask(change), ...threadTasks(quick)], setting: {} };
  },
};
