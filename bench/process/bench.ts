import { NativeProgram, runChild } from "../harness/child-process.ts";
import { type Column, medianColumn, RIGHT, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import type { Aim, Target } from "../harness/targets.ts";
import { THREAD_TABLES, THREAD_TARGETS, threadTasks } from "../threads/bench.ts";
import { ENTRIES, type Entry, rivalsIn } from "./catalog.ts";
import { JOBS, type Job, type JobId, TABLES, type TableId } from "./jobs.ts";
import type { JobOrder } from "./measure.ts";
import {
  allowOverFastestRival,
  allowOverFlexible,
  BATCH_OVER_FASTEST_RIVAL,
  HANDLE_AT_A_MILLION,
  nsOf,
  weightOf,
} from "./ratios.ts";

const CHILD_OPTIONS = { flags: ["--expose-gc"], timeoutMs: 180_000 };
const C_FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra"];

/** A row with one of its jobs. */
export interface JobTask extends Task {
  readonly entry: Entry;
  readonly job: Job;
}

/** Every job of every row, each changed by `change`. Jobs under the same limit with as many keys are compared. */
export function jobTasks(change: (job: Job) => Job = (job) => job): JobTask[] {
  const floor = new NativeProgram("gcc", C_FLAGS, "floor/floor.c");
  return Object.values(JOBS).flatMap((plain: Job) => {
    const job = change(plain);
    const entries = ENTRIES.filter(({ jobs }) => jobs.includes(job.id as JobId));
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
  floor: NativeProgram,
  { id, native }: Extract<Entry, { native: unknown }>,
  { keys, passes, warmUp, chunks }: Job,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const [table, order] of passes) {
    if (order === "zipf") continue;
    const ns = await floor.run([keys, warmUp, chunks, native.clock, native.form, order]);
    measured.push({ table, row: id, figures: { ns } });
  }
  return measured;
}

const NAMES = new Map(ENTRIES.map((entry) => [entry.id, entry]));

function headColumns(keys: number): Column[] {
  const nameOf = (id: string) => {
    const { name = id, keeps = keys } = NAMES.get(id) ?? {};
    return keeps < keys ? `${name} (forgets keys)` : name;
  };
  return [textColumn("who", nameOf), textColumn("set up as", (id) => NAMES.get(id)?.options ?? "", true)];
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
  const { keys } = Object.values(JOBS).find(({ passes }) => passes.some(([table]) => table === id))!;
  const columns = [
    ...headColumns(keys),
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
    ...headColumns(JOBS.weight.keys),
    ...(["bytes a key", "worst stall, ms", "full collection, ms"] as const).flatMap((title, i) => {
      const figure = ["bytesPerKey", "worstStallMs", "collectMs"][i]!;
      return [medianColumn(title, figure), rangeColumn(figure)];
    }),
  ],
};

const faster = (value: number): Aim => ({ is: "≥", value, unit: "× faster", digits: 2 });
const atMost = (value: number, unit: string, digits: number): Aim => ({ is: "≤", value, unit, digits });

const TARGETS: readonly Target[] = [
  ...(
    [
      ["hot", "1 hot key", 1.3, 2.5],
      ["thousand", "1,000 keys", 1.5, 2.5],
      ["million", "1,000,000 keys", 5, 5.5],
    ] as const
  ).flatMap(([table, keys, perCall, coarse]): Target[] => [
    {
      text: `\`allow\` over the fastest rival, ${keys}`,
      ratio: allowOverFastestRival(table, "per call"),
      aim: faster(perCall),
    },
    {
      text: `\`allow\` over the fastest rival, ${keys}, coarse clock`,
      ratio: allowOverFastestRival(table, "coarse"),
      aim: faster(coarse),
    },
  ]),
  ...(
    [
      ["hot", "1 hot key", 5],
      ["thousand", "1,000 keys", 5],
      ["million", "1,000,000 keys", 7],
    ] as const
  ).flatMap(([table, keys, perCall]): Target[] => [
    {
      text: `\`allow\` over rate-limiter-flexible, ${keys}`,
      ratio: allowOverFlexible(table, "per call"),
      aim: faster(perCall),
    },
    {
      text: `\`allow\` over rate-limiter-flexible, ${keys}, coarse clock`,
      ratio: allowOverFlexible(table, "coarse"),
      aim: faster(8),
    },
  ]),
  ...(
    [
      ["hot", "1 hot key", "memory"],
      ["hot", "1 hot key", "table"],
      ["thousand", "1,000 keys", "memory"],
      ["thousand", "1,000 keys", "table"],
    ] as const
  ).map(([table, keys, store]) => ({
    text: `two limits over one, the same key, ${keys}, ${store}`,
    ratio: { of: nsOf(table, `${store}-two-limits`), over: nsOf(table, store) },
    aim: atMost(1.3, "× the time", 2),
  })),
  {
    text: "through a handle, 1,000,000 keys in turn, coarse clock",
    ratio: { of: HANDLE_AT_A_MILLION },
    aim: atMost(25, "ns", 1),
  },
  {
    text: "a batch of 64 over the fastest rival, 1,000,000 keys, table",
    ratio: BATCH_OVER_FASTEST_RIVAL,
    aim: faster(10),
  },
  ...(
    [
      ["denied-hot", "1 hot key"],
      ["denied-thousand", "1,000 keys"],
    ] as const
  ).map(([table, keys]) => ({
    text: `a denial over rate-limiter-flexible's, ${keys}`,
    ratio: allowOverFlexible(table, "per call"),
    aim: faster(15),
  })),
  weight("bytes a key at 1,000,000 keys, memory", "bytesPerKey", "memory", atMost(110, "bytes", 1)),
  weight("bytes a key at 1,000,000 keys, table", "bytesPerKey", "table", atMost(50, "bytes", 1)),
  weight("worst stall while 1,000,000 keys come in, table", "worstStallMs", "table", atMost(4, "ms", 1)),
];

function weight(text: string, name: "bytesPerKey" | "worstStallMs", row: string, aim: Aim): Target {
  return { text, ratio: { of: weightOf(name, row) }, aim };
}

/** In one process, and across the threads of a process. */
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
