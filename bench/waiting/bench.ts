import { runChild } from "../harness/child-process.ts";
import { medianColumn, rangeColumn, type Table, textColumn, timesColumn } from "../harness/page.ts";
import type { Measured, Task } from "../harness/rounds.ts";
import type { Bench } from "../harness/run-bench.ts";
import { ratioAt, type Target, target } from "../harness/targets.ts";
import type { Job } from "../process/jobs.ts";
import { ENTRIES, type Line } from "./contenders.ts";
import type { LineOrder } from "./measure.ts";
import { RESERVING, reservingTasks } from "./reserving.ts";

const CHILD_OPTIONS = { flags: ["--expose-gc"], timeoutMs: 180_000 };

const CALLS = 100_000;
const HOLD_MS = 8_000;

/** The tables of lines, by their ids. */
const LINES = {
  one: { title: "100,000 calls wait for one key", line: { calls: CALLS, keys: 1, holdMs: HOLD_MS } },
  many: { title: "100,000 calls wait for 10,000 keys", line: { calls: CALLS, keys: 10_000, holdMs: HOLD_MS } },
} as const;

function lineTasks(change: (line: Line) => Line): Task[] {
  return Object.entries(LINES).flatMap(([table, { line }]) =>
    ENTRIES.map(({ id }): Task => {
      const order: LineOrder = { table, row: id, line: change(line) };
      const measure = () => runChild<Measured[]>("line", order, CHILD_OPTIONS);
      return { name: `line: ${table} / ${id}`, group: table, measure };
    }),
  );
}

const entryOf = (row: string) => ENTRIES.find(({ id }) => id === row)!;
/** The rivals whose calls are as many, with signals if the row has them. */
const rivalsOf = (row: string) =>
  ENTRIES.filter((each) => each.family === "rival" && each.part === 1 && each.signals === entryOf(row).signals).map(
    ({ id }) => id,
  );

const LINE_TABLES = Object.entries(LINES).map(([id, { title }]): Table => {
  const columns = [
    textColumn("who", (row) => entryOf(row).name),
    medianColumn("bytes a call", "bytes"),
    rangeColumn("bytes"),
    medianColumn("timers", "timers", (timers) => timers.toLocaleString("en")),
    medianColumn("ns to queue a call", "queueNs"),
    medianColumn("calls served a ms", "callsPerMs"),
    rangeColumn("callsPerMs"),
    timesColumn("× the fastest rival", "drainNs", rivalsOf, 2, "less"),
    medianColumn("processor ns to serve a call", "drainCpuNs"),
  ];
  return { id, title, rows: ENTRIES.map((each) => each.id), columns };
});

const RESERVING_TABLE: Table = {
  id: "reserving",
  title: "Reservations: 1,000 keys",
  rows: [...RESERVING.keys()],
  columns: [
    textColumn("calls", (row) => RESERVING.get(row) ?? row),
    medianColumn("ns", "ns"),
    rangeColumn("ns"),
    timesColumn("× `consume`", "ns", () => ["consume"]),
    medianColumn("bytes of an open reservation", "bytes"),
  ],
};

const KEYS = { one: "one key", many: "10,000 keys" } as const;

/** Served calls of a row over those of the fastest of these rivals. */
function served(text: string, table: keyof typeof KEYS, rivals: readonly string[]): Target {
  const pathOf = (rows: string, figure: string) => `${table} / ${rows} / ${figure}`;
  const compared = (figure: string) => [pathOf(rivals.join(", "), figure), pathOf("tollgate", figure)] as const;
  const whole = target(`${text}, ${KEYS[table]}`, "≥ 3 × faster", ...compared("drainNs"));
  return { ...whole, byProcessor: ratioAt(...compared("drainCpuNs")) };
}

const RIVALS = rivalsOf("tollgate");
const TABLES = ["one", "many"] as const;

const TARGETS: readonly Target[] = [
  ...TABLES.flatMap((table) =>
    Object.entries({ tollgate: "", "tollgate-signals": ", beyond its own signal" }).map(([row, words]) =>
      target(`bytes of a call that waits${words}, ${KEYS[table]}`, "≤ 400 bytes", `${table} / ${row} / bytes`),
    ),
  ),
  ...TABLES.map((table) => target(`timers a line, ${KEYS[table]}`, "≤ 1", `${table} / tollgate / timersPerLine`)),
  ...TABLES.map((table) => served("calls served over the fastest rival", table, RIVALS)),
  ...TABLES.map((table) =>
    served(
      "calls served over the fastest rival with a queue",
      table,
      RIVALS.filter((id) => id !== "p-throttle"),
    ),
  ),
  ...Array.from(RESERVING)
    .filter(([row]) => row !== "consume")
    .map(([row, text]) =>
      target(`${text}, over \`consume\``, "≤ 2.5 × the time", `reserving / ${row}`, "reserving / consume"),
    ),
];

export const BENCH: Bench = {
  name: "bench-waiting",
  packages: ["tollgate", "p-queue", "p-throttle", "bottleneck", "rate-limiter-flexible"],
  method: "by round",
  sections: { lines: LINE_TABLES, reserving: [RESERVING_TABLE] },
  targets: TARGETS,
  async open(quick) {
    const fewer = (line: Line): Line =>
      quick ? { ...line, calls: line.calls / 5, keys: Math.max(1, line.keys / 5) } : line;
    const shorter = (job: Job): Job => (quick ? { ...job, warmUp: job.warmUp / 4, chunks: job.chunks / 8 } : job);
    return { tasks: [...lineTasks(fewer), ...reservingTasks(shorter, CHILD_OPTIONS)], setting: {} };
  },
};
