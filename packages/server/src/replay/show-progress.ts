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
    const text = textOf(progress, nowMs - this.#startMs);
    this.#stream.write(this.#stream.isTTY === true ? `${CLEAR}${barOf(progress)}${text}` : `${text}\n`);
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#stream.isTTY === true) this.#stream.write(CLEAR);
  }
}

/** Such as `[######------] `. Nothing where the size is not known. */
function barOf({ bytesRead, bytes }: Progress): string {
  const filled = Math.min(WIDTH, Math.floor((WIDTH * bytesRead) / bytes));
  return bytes === 0 ? "" : `[${"#".repeat(filled).padEnd(WIDTH, "-")}] `;
}

/** One line, such as `2000000 requests, 120 of 240 MB, 3 s left`. */
function textOf({ bytesRead, bytes, requests }: Progress, elapsedMs: number): string {
  if (bytes === 0) return `${requests} requests, ${megabytes(bytesRead)} MB`;
  const leftMs = bytesRead === 0 ? 0 : (elapsedMs * Math.max(0, bytes - bytesRead)) / bytesRead;
  return `${requests} requests, ${megabytes(bytesRead)} of ${megabytes(bytes)} MB, ${Math.ceil(leftMs / 1_000)} s left`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}
