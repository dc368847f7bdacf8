import { nativeProgram, runChild } from "../harness/child-process.ts";
import type { Figure } from "../harness/figures.ts";
import { type Column, medianColumn, RIGHT, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import type { Aim, Target } from "../harness/targets.ts";
import type { RowOrder } from "./measure.ts";
import { FULL, GROUPS, MANY_KEYS, QUICK, ROWS, type Row, THREAD_COUNTS } from "./rows.ts";

const CHILD_OPTIONS = { flags: [], timeoutMs: 60_000 };
const RUST_FLAGS = ["--edition", "2021", "-O", "-C", "target-cpu=native"];

/** Every row with each number of threads. A figure's name is the number of threads. */
export function threadTasks(quick: boolean): Task[] {
  const plan = quick ? QUICK : FULL;
  const rust = nativeProgram("rustc", RUST_FLAGS, "threads/rust/main.rs");
  const measure = (row: Row, threads: number): Promise<number> => {
    if (row.runs !== "natively") {
      return runChild<number>("threads", { row: row.id, threads, plan } satisfies RowOrder, CHILD_OPTIONS);
    }
    return rust([row.program, row.clock, threads, plan.warmUpMs, plan.windowMs, MANY_KEYS]);
  };
  return ROWS.flatMap((row) =>
    THREAD_COUNTS.map((threads) => ({
      name: `${row.group} / ${row.id} × ${threads}`,
      group: row.group,
      async measure() {
        return [{ table: row.group, row: row.id, figures: { [threads]: await measure(row, threads) } }];
      },
    })),
  );
}

/** As in 137, 34.8, 0.0726. */
function millionText(millions: number): string {
  return millions >= 1_000 ? millions.toFixed(0) : millions.toPrecision(3);
}

function scaleColumn(threads: number): Column {
  const cell: Column["cell"] = ({ figures }) => {
    const [one, more] = [figures["1"], figures[threads]];
    return one === undefined || more === undefined ? "" : (more.median / one.median).toFixed(2);
  };
  return { ...RIGHT("× 1 thread"), cell };
}

export const THREAD_TABLES: readonly Table[] = Object.entries(GROUPS).map(([id, title]) => ({
  id,
  title,
  rows: ROWS.map((row) => row.id),
  columns: [
    textColumn("who", (row) => ROWS.find((one) => one.id === row)?.name ?? row),
    ...THREAD_COUNTS.flatMap((threads) => [
      medianColumn(threads === 1 ? "1 thread" : `${threads} threads`, String(threads), millionText),
      rangeColumn(String(threads), millionText),
      ...(threads === 1 ? [] : [scaleColumn(threads)]),
    ]),
  ],
}));

const HANDLE = "across threads, hot key by handle";
const KEYS = "across threads, 100,000 keys";
const CLUSTER = "across threads, hot key, over rate-limiter-flexible's cluster";

export const THREAD_TARGETS: readonly Target[] = [
  { text: `${HANDLE}, 1 thread`, ratio: { of: hot("shared-handle", 1) }, aim: atLeast(10, "million/s", 1) },
  {
    text: `${HANDLE}, 1 thread, coarse clock`,
    ratio: { of: hot("shared-handle-coarse", 1) },
    aim: atLeast(28, "million/s", 1),
  },
  target(
    `${HANDLE}, 4 threads over 1, coarse clock`,
    hot("shared-handle-coarse", 4),
    hot("shared-handle-coarse", 1),
    0.6,
  ),
  ...["", "-coarse"].flatMap((clock) => {
    const words = clock === "" ? "" : ", coarse clock";
    const [ours, rust] = [`shared-strings${clock}`, `rust-table${clock}`];
    return [
      target(`${KEYS}, over the table in Rust, 1 thread${words}`, keys(ours, 1), keys(rust, 1), 0.35),
      target(`${KEYS}, over the table in Rust, 2 threads${words}`, keys(ours, 2), keys(rust, 2), 0.35),
      target(`${KEYS}, 2 threads over 1${words}`, keys(ours, 2), keys(ours, 1), 1.6),
    ];
  }),
  target(`${CLUSTER}, 1 thread`, hot("shared", 1), hot("cluster", 1), 50),
  target(`${CLUSTER}, 2 threads`, hot("shared", 2), hot("cluster", 2), 50),
];

function target(text: string, of: Figure, over: Figure, least: number): Target {
  return { text, ratio: { of, over }, aim: atLeast(least, "×", 2) };
}

function atLeast(value: number, unit: string, digits: number): Aim {
  return { is: "≥", value, unit, digits };
}

function hot(row: string, threads: number): Figure {
  return { table: "threads-hot", rows: [row], name: String(threads) };
}

function keys(row: string, threads: number): Figure {
  return { table: "threads-keys", rows: [row], name: String(threads) };
}
