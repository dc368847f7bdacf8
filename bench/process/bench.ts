import { nativeProgram, runChild } from "../harness/child-process.ts";
import { type Column, medianColumn, RIGHT, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import type { Aim, Target } from "../harness/targets.ts";
import { THREAD_TABLES, THREAD_TARGETS, threadTasks } from "../threads/bench.ts";
import { ENTRIES, type Entry, rivalsIn } from "./catalog.ts";
import { JOBS, type Job, keysIn, TABLES, type TableId } from "./jobs.ts";
import type { JobOrder } from "./measure.ts";
import * as ratios from "./ratios.ts";

const CHILD_OPTIONS = { flags: ["--expose-gc"], timeoutMs: 180_000 };
const C_FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra"];

export interface JobTask extends Task {
  readonly entry: Entry;
  readonly job: Job;
}

/** Every job of every row, each changed by `change`. Jobs under the same limit with as many keys are compared. */
export function jobTasks(change: (job: Job) => Job = (job) => job): JobTask[] {
  const floor = nativeProgram("gcc", C_FLAGS, "floor/floor.c");
  return JOBS.flatMap((plain) => {
    const job = change(plain);
    const entries = ENTRIES.filter(({ jobs }) => jobs.includes(job.id));
    return entries.map((entry): JobTask => {
      const measure = () => ("native" in entry ? measureNatively(floor, entry, job) : measureInNode(entry, job));
      return { name: `${job.id} / ${entry.id}`, group: `${job.keys} ${job.limit}`, entry, job, measure };
    });
  });
}

function measureInNode({ id }: Entry, job: Job): Promise<Measured[]> {
  return runChild<Measured[]>("process", { row: id, job } satisfies JobOrder, CHILD_OPTIONS);
}

/** One process for each pass. The program has no Zipf distribution. */
async function measureNatively(
  floor: ReturnType<typeof nativeProgram>,
  { id, native }: Extract<Entry, { native: unknown }>,
  { keys, passes, warmUp, chunks }: Job,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [table, order] of Object.entries(passes)) {
    if (order === "zipf") continue;
    const ns = await floor([keys, warmUp, chunks, native.clock, native.form, order]);
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
function timesColumn(title: string, others: readonly string[]): Column {
  return {
    ...RIGHT(title),
    cell({ row, figures }, rows) {
      const theirs = rows
        .filter((one) => others.includes(one.row))
        .map((one) => one.figures["ns"]?.median ?? Number.NaN);
      if (theirs.length === 0 || NAMES.get(row)?.family === "nothing") return "";
      return (Math.min(...theirs) / (figures["ns"]?.median ?? Number.NaN)).toFixed(2);
    },
  };
}

const ROWS = ENTRIES.map(({ id }) => id);

const SPEED_TABLES = (Object.keys(TABLES) as TableId[]).map((id): Table => {
  const columns = [
    nameColumn(keysIn(id)),
    medianColumn("ns", "ns"),
    rangeColumn("ns"),
    timesColumn("× the fastest rival", rivalsIn(id)),
    timesColumn("× rate-limiter-flexible", ["rate-limiter-flexible"]),
  ];
  return { id, title: TABLES[id], rows: ROWS, columns };
});

const WEIGHT_TABLE: Table = {
  id: "weight",
  title: "A million keys: memory and pauses",
  rows: ROWS,
  columns: [
    nameColumn(keysIn("million")),
    medianColumn("bytes a key", "bytesPerKey"),
    rangeColumn("bytesPerKey"),
    medianColumn("worst stall, ms", "worstStallMs"),
    rangeColumn("worstStallMs"),
    medianColumn("full collection, ms", "collectMs"),
    rangeColumn("collectMs"),
  ],
};

const faster = (value: number): Aim => ({ is: "≥", value, unit: "× faster", digits: 2 });
const atMost = (value: number, unit: string, digits: number): Aim => ({ is: "≤", value, unit, digits });

const KEYS = { hot: "1 hot key", thousand: "1,000 keys", million: "1,000,000 keys" } as const;
/** The least ratio of `allow`, with a reading of the clock per call and with the coarse clock. */
const LEAST = [
  ["the fastest rival", ratios.allowOverFastestRival, { hot: [1.3, 2.5], thousand: [1.5, 2.5], million: [5, 5.5] }],
  ["rate-limiter-flexible", ratios.allowOverFlexible, { hot: [5, 8], thousand: [5, 8], million: [7, 8] }],
] as const;

const IN_TURN = "through a handle, 1,000,000 keys in turn, coarse clock";
const BATCH = "a batch of 64 over the fastest rival, 1,000,000 keys, table";

const TARGETS: readonly Target[] = [
  ...LEAST.flatMap(([whom, ratioIn, tables]) =>
    (["hot", "thousand", "million"] as const).flatMap((table): Target[] => {
      const text = `\`allow\` over ${whom}, ${KEYS[table]}`;
      const [perCall, coarse] = tables[table];
      return [
        { text, ratio: ratioIn(table, "per call"), aim: faster(perCall) },
        { text: `${text}, coarse clock`, ratio: ratioIn(table, "coarse"), aim: faster(coarse) },
      ];
    }),
  ),
  ...(["hot", "thousand"] as const).flatMap((table) =>
    ["memory", "table"].map((store) => ({
      text: `two limits over one, the same key, ${KEYS[table]}, ${store}`,
      ratio: { of: ratios.nsOf(table, `${store}-two-limits`), over: ratios.nsOf(table, store) },
      aim: atMost(1.3, "× the time", 2),
    })),
  ),
  { text: IN_TURN, ratio: { of: ratios.HANDLE_AT_A_MILLION }, aim: atMost(25, "ns", 1) },
  { text: BATCH, ratio: ratios.BATCH_OVER_FASTEST_RIVAL, aim: faster(10) },
  ...(["hot", "thousand"] as const).map((table) => ({
    text: `a denial over rate-limiter-flexible's, ${KEYS[table]}`,
    ratio: ratios.allowOverFlexible(`denied-${table}`, "per call"),
    aim: faster(15),
  })),
  weight("bytes a key at 1,000,000 keys, memory", "bytesPerKey", "memory", atMost(110, "bytes", 1)),
  weight("bytes a key at 1,000,000 keys, table", "bytesPerKey", "table", atMost(50, "bytes", 1)),
  weight("worst stall while 1,000,000 keys come in, table", "worstStallMs", "table", atMost(4, "ms", 1)),
];

function weight(text: string, name: "bytesPerKey" | "worstStallMs", row: string, aim: Aim): Target {
  return { text, ratio: { of: ratios.weightOf(name, row) }, aim };
}

export const BENCH: Bench = {
  name: "bench",
  packages: [
    ...["tollgate", "@fastify/rate-limit", "express-rate-limit", "hono-rate-limiter"],
    ...["limiter", "rate-limiter-flexible"],
  ],
  method: "of medians",
  comparisons: [],
  sections: { results: [...SPEED_TABLES, WEIGHT_TABLE], threads: THREAD_TABLES },
  targets: [...TARGETS, ...THREAD_TARGETS],
  async open(quick) {
    const shorter = (job: Job): Job => ({ ...job, warmUp: job.warmUp / 4, chunks: job.chunks / 8 });
    return { tasks: [...jobTasks(quick ? shorter : undefined), ...threadTasks(quick)], setting: {} };
  },
};
