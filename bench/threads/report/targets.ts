import type { Judged } from "../../report/targets.ts";
import type { ThreadCount } from "../row.ts";
import { type ThreadFigure, threadFigureOf } from "./figure.ts";
import type { ThreadResults } from "./results.ts";

/** What the library means to reach: so many decisions a second, or so much of what another figure is. */
export interface ThreadTarget {
  readonly text: string;
  readonly ours: ThreadFigure;
  readonly over?: ThreadFigure;
  /** Millions a second, or a ratio. */
  readonly atLeast: number;
}

const MILLION = 1e6;
const HANDLE = "shared-handle-coarse";

export const THREAD_TARGETS: readonly ThreadTarget[] = [
  { text: "across threads, hot key by handle, 1 thread", ours: of("shared-handle", 1), atLeast: 10 },
  { text: "across threads, hot key by handle, 1 thread, coarse clock", ours: of(HANDLE, 1), atLeast: 28 },
  {
    text: "across threads, hot key by handle, 4 threads over 1, coarse clock",
    ours: of(HANDLE, 4),
    over: of(HANDLE, 1),
    atLeast: 0.6,
  },
  ...strings("shared-strings", "rust-table", ""),
  ...strings("shared-strings-coarse", "rust-table-coarse", ", coarse clock"),
  ...([1, 2] as const).map((threads) => ({
    text: `across threads, hot key, over rate-limiter-flexible's cluster, ${countText(threads)}`,
    ours: of("shared", threads),
    over: of("cluster", threads),
    atLeast: 50,
  })),
];

export function judgeThreads({ text, ours, over, atLeast }: ThreadTarget, results: ThreadResults): Judged {
  const a = threadFigureOf(ours, results);
  const b = over === undefined ? MILLION : threadFigureOf(over, results);
  const unit = over === undefined ? "million/s" : "×";
  const aim = `≥ ${atLeast} ${unit}`;
  if (a === undefined || b === undefined) return { text, aim, measured: "", verdict: "not measured" };
  const value = a / b;
  const measured = `${value.toFixed(over === undefined ? 1 : 2)} ${unit}`;
  return { text, aim, measured, verdict: value >= atLeast ? "reached" : "missed" };
}

function strings(ours: string, rust: string, clock: string): ThreadTarget[] {
  const begin = "across threads, 100,000 keys";
  return [
    ...([1, 2] as const).map((threads) => ({
      text: `${begin}, over the table in Rust, ${countText(threads)}${clock}`,
      ours: of(ours, threads),
      over: of(rust, threads),
      atLeast: 0.35,
    })),
    { text: `${begin}, 2 threads over 1${clock}`, ours: of(ours, 2), over: of(ours, 1), atLeast: 1.6 },
  ];
}

function countText(threads: ThreadCount): string {
  return threads === 1 ? "1 thread" : `${threads} threads`;
}

function of(row: string, threads: ThreadCount): ThreadFigure {
  return { row, threads };
}
