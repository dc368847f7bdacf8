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
    textColumn("who", (id) => ROWS.find((row) => row.id === id)?.name ?? id),
    ...THREAD_COUNTS.flatMap((threads) => [
      medianColumn(threadsText(threads), String(threads), millionText),
      rangeColumn(String(threads), millionText),
      ...(threads === 1 ? [] : [scaleColumn(threads)]),
    ]),
  ],
}));

function threadsText(threads: number): string {
  return threads === 1 ? "1 thread" : `${threads} threads`;
}

const HANDLE = "across threads, hot key by handle";
const KEYS = "across threads, 100,000 keys";
const CLUSTER = "across threads, hot key, over rate-limiter-flexible's cluster";

export const THREAD_TARGETS: readonly Target[] = [
  { text: `${HANDLE}, 1 thread`, ratio: { of: hot("shared-handle", 1) }, aim: millions(10) },
  { text: `${HANDLE}, 1 thread, coarse clock`, ratio: { of: hot("shared-handle-coarse", 1) }, aim: millions(28) },
  {
    text: `${HANDLE}, 4 threads over 1, coarse clock`,
    ratio: { of: hot("shared-handle-coarse", 4), over: hot("shared-handle-coarse", 1) },
    aim: times(0.6),
  },
  ...(
    [
      ["", ""],
      ["-coarse", ", coarse clock"],
    ] as const
  ).flatMap(([suffix, clock]): Target[] => [
    ...[1, 2].map((threads) => ({
      text: `${KEYS}, over the table in Rust, ${threadsText(threads)}${clock}`,
      ratio: { of: keys(`shared-strings${suffix}`, threads), over: keys(`rust-table${suffix}`, threads) },
      aim: times(0.35),
    })),
    {
      text: `${KEYS}, 2 threads over 1${clock}`,
      ratio: { of: keys(`shared-strings${suffix}`, 2), over: keys(`shared-strings${suffix}`, 1) },
      aim: times(1.6),
    },
  ]),
  ...[1, 2].map((threads) => ({
    text: `${CLUSTER}, ${threadsText(threads)}`,
    ratio: { of: hot("shared", threads), over: hot("cluster", threads) },
    aim: times(50),
  })),
];

function hot(row: string, threads: number): Figure {
  return { table: "threads-hot", rows: [row], name: String(threads) };
}

function keys(row: string, threads: number): Figure {
  return { table: "threads-keys", rows: [row], name: String(threads) };
}

function millions(value: number): Aim {
  return { is: "≥", value, unit: "million/s", digits: 1 };
}

function times(value: number): Aim {
  return { is: "≥", value, unit: "×", digits: 2 };
}
