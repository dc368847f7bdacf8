import type { Progress } from "./replay.ts";

const BAR_MS = 100;
const LINE_MS = 10_000;
/** Empties the line of a terminal. */
const CLEAR = "\r\u001b[K";
const WIDTH = 24;

/** Where progress goes: standard error, by default. */
interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows how far a replay is: a bar on a terminal, elsewhere a line every ten seconds. */
export class ShowProgress {
  readonly #stream: ProgressStream;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #shownMs: number;

  constructor(stream: ProgressStream = process.stderr, nowMs: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
    this.#shownMs = this.#startMs;
  }

  show(progress: Progress): void {
    const nowMs = this.#nowMs();
    if (nowMs - this.#shownMs < (this.#stream.isTTY === true ? BAR_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    const elapsedMs = nowMs - this.#startMs;
    if (this.#stream.isTTY === true) this.#stream.write(`${CLEAR}${barOf(progress, elapsedMs)}`);
    else this.#stream.write(`${textOf(progress, elapsedMs)}\n`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#stream.isTTY === true) this.#stream.write(CLEAR);
  }
}

/** One line, such as `[######------] 120 of 240 MB, 3 s left`. */
function barOf(progress: Progress, elapsedMs: number): string {
  if (progress.bytes === 0) return textOf(progress, elapsedMs);
  const filled = Math.min(WIDTH, Math.floor((WIDTH * progress.bytesRead) / progress.bytes));
  return `[${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}] ${textOf(progress, elapsedMs)}`;
}

function textOf({ bytesRead, bytes, requests }: Progress, elapsedMs: number): string {
  if (bytes === 0) return `${requests} requests, ${megabytes(bytesRead)} MB`;
  const leftMs = bytesRead === 0 ? 0 : (elapsedMs * Math.max(0, bytes - bytesRead)) / bytesRead;
  return `${requests} requests, ${megabytes(bytesRead)} of ${megabytes(bytes)} MB, ${Math.ceil(leftMs / 1_000)} s left`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}
