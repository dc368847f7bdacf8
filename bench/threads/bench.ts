import { nativeProgram, runChild } from "../harness/child-process.ts";
import { type Column, medianColumn, RIGHT, rangeColumn, type Table, textColumn } from "../harness/page.ts";
import type { Task } from "../harness/rounds.ts";
import { type Target, target } from "../harness/targets.ts";
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
    return rust([row.clock, threads, plan.warmUpMs, plan.windowMs, MANY_KEYS]);
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
const COARSE = "threads-hot / shared-handle-coarse";

export const THREAD_TARGETS: readonly Target[] = [
  target(`${HANDLE}, 1 thread`, "≥ 10 million/s", "threads-hot / shared-handle / 1"),
  target(`${HANDLE}, 1 thread, coarse clock`, "≥ 28 million/s", `${COARSE} / 1`),
  target(`${HANDLE}, 4 threads over 1, coarse clock`, "≥ 0.6 ×", `${COARSE} / 4`, `${COARSE} / 1`),
  ...["", "-coarse"].flatMap((clock) => {
    const words = clock === "" ? "" : ", coarse clock";
    const [ours, rust] = [`threads-keys / shared-strings${clock}`, `threads-keys / rust-table${clock}`];
    return [
      target(`${KEYS}, over the table in Rust, 1 thread${words}`, "≥ 0.35 ×", `${ours} / 1`, `${rust} / 1`),
      target(`${KEYS}, over the table in Rust, 2 threads${words}`, "≥ 0.35 ×", `${ours} / 2`, `${rust} / 2`),
      target(`${KEYS}, 2 threads over 1${words}`, "≥ 1.6 ×", `${ours} / 2`, `${ours} / 1`),
    ];
  }),
  ...["1 thread", "2 threads"].map((threads) => {
    const text = `across threads, hot key, over rate-limiter-flexible's cluster, ${threads}`;
    return target(text, "≥ 50 ×", `threads-hot / shared / ${threads[0]}`, `threads-hot / cluster / ${threads[0]}`);
  }),
];
