import { runChild } from "../harness/child-process.ts";
import { medianColumn, rangeColumn, type Table, textColumn, timesColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { ratioAt, type Target, target } from "../harness/targets.ts";
import { COST_ROWS, type CostOrder, type CostRow, type CostVerb } from "./cost.ts";
import { SCRAPE_ROWS, type ScrapeOrder, type ScrapeRow } from "./scrape.ts";
import { STORY_ROWS, type StoryOrder, type StoryRow } from "./story.ts";

const CHILD_OPTIONS = { flags: ["--expose-gc"], timeoutMs: 120_000 };

/** The tables of what a call costs, by their ids. */
const COSTS = {
  "allow-1": { verb: "allow", keys: 1, title: "`allow`, one hot key" },
  "allow-1000": { verb: "allow", keys: 1_000, title: "`allow`, 1,000 keys" },
  "consume-1": { verb: "consume", keys: 1, title: "`consume`, one hot key" },
  "consume-1000": { verb: "consume", keys: 1_000, title: "`consume`, 1,000 keys" },
} as const satisfies Record<string, { verb: CostVerb; keys: number; title: string }>;

const CHUNKS = 600;
const MILLION = 1_000_000;

function costTasks(chunks: number): Task[] {
  return Object.entries(COSTS).flatMap(([table, { verb, keys }]) =>
    (Object.keys(COST_ROWS) as CostRow[]).map((row): Task => {
      const order: CostOrder = { row, verb, keys, table, chunks };
      const measure = () => runChild<Measured[]>("metrics cost", order, CHILD_OPTIONS);
      return { name: `cost: ${table} / ${row}`, group: table, measure };
    }),
  );
}

function scrapeTasks(keys: number): Task[] {
  return (Object.keys(SCRAPE_ROWS) as ScrapeRow[]).map((row) => {
    const order: ScrapeOrder = { row, keys };
    const measure = () => runChild<Measured[]>("metrics scrape", order, CHILD_OPTIONS);
    return { name: `scrape: ${row}`, group: "scrape", measure };
  });
}

function storyTasks(): Task[] {
  return (Object.keys(STORY_ROWS) as StoryRow[]).map((row) => {
    const order: StoryOrder = { row };
    const measure = () => runChild<Measured[]>("metrics story", order, CHILD_OPTIONS);
    return { name: `story: ${row}`, group: "story", measure };
  });
}

const COST_TABLES = Object.entries(COSTS).map(
  ([id, { title }]): Table => ({
    id,
    title,
    rows: Object.keys(COST_ROWS),
    columns: [
      textColumn("what sees the calls", (row) => COST_ROWS[row as CostRow]),
      medianColumn("ns", "ns"),
      rangeColumn("ns"),
      timesColumn("× without", "ns", () => ["none"]),
    ],
  }),
);

const SCRAPE_TABLE: Table = {
  id: "scrape",
  title: "A scrape with 1,000,000 keys",
  rows: Object.keys(SCRAPE_ROWS),
  columns: [
    textColumn("over", (row) => SCRAPE_ROWS[row as ScrapeRow]),
    medianColumn("ms", "ms"),
    medianColumn("processor ms", "cpuMs"),
    medianColumn("ms that the event loop is blocked, at most", "blockedMs"),
    medianColumn("processor ms of that", "blockedCpuMs"),
  ],
};

const STORY_TABLE: Table = {
  id: "story",
  title: "A delay in the hot path",
  rows: Object.keys(STORY_ROWS),
  columns: [
    textColumn("planted", (row) => STORY_ROWS[row as StoryRow]),
    medianColumn("p99 before, ns", "p99Before"),
    medianColumn("p99 of the first 10,000 calls that show it, ns", "p99After"),
    medianColumn("calls until then", "callsToMove", (calls) => calls.toLocaleString("en")),
    medianColumn("p99 of 200,000 calls, ns", "p99OfAll"),
    medianColumn("mean before, ns", "meanBefore"),
    medianColumn("mean after, ns", "meanAfter"),
  ],
};

function costTargets(): Target[] {
  return Object.entries(COSTS).flatMap(([table, { title }]) => [
    target(`${title}, with counters`, "≤ 1.25 × the time", `${table} / counters`, `${table} / none`),
    target(`${title}, with the histogram and \`hotKeys\``, "≤ 1.4 × the time", `${table} / all`, `${table} / none`),
    target(`${title}, after they were removed`, "≤ 1.05 × the time", `${table} / removed`, `${table} / none`),
  ]);
}

function byProcessor(text: string, aim: string, row: string, figure: string, processor: string): Target {
  return { ...target(text, aim, `${row} / ${figure}`), byProcessor: ratioAt(`${row} / ${processor}`) };
}

const TARGETS: readonly Target[] = [
  ...costTargets(),
  ...Object.entries(SCRAPE_ROWS).flatMap(([row, over]) => [
    byProcessor(`a scrape with a million keys, ${over}`, "< 20 ms", `scrape / ${row}`, "ms", "cpuMs"),
    byProcessor(`the event loop is blocked, ${over}`, "< 5 ms", `scrape / ${row}`, "blockedMs", "blockedCpuMs"),
  ]),
  target("p99 before the delay", "< 400 ns", "story / few / p99Before"),
  target("p99 after a delay of 4 µs in 1 of 100 calls", "≥ 3000 ns", "story / few / p99After"),
  target("calls until it has moved", "≤ 200000", "story / few / callsToMove"),
  target("the mean moves meanwhile by", "< 60 ns", "story / few / meanMoved"),
  target("p99 after a delay in every call", "≥ 3000 ns", "story / every / p99After"),
  target("the mean moves by", "≥ 3000 ns", "story / every / meanMoved"),
];

export const BENCH: Bench = {
  name: "bench-metrics",
  packages: ["tollgate", "prom-client"],
  method: "by round",
  sections: { costs: COST_TABLES, scrape: [SCRAPE_TABLE], story: [STORY_TABLE] },
  targets: TARGETS,
  async open(quick) {
    const tasks = [...costTasks(quick ? CHUNKS / 4 : CHUNKS), ...scrapeTasks(MILLION), ...storyTasks()];
    return { tasks, setting: {} };
  },
};
