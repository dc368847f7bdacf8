import type { Progress } from "./replay.ts";

const LINE_MS = 10_000;
const WIDTH = 24;

/** Shows how far a replay is: a bar on a terminal, elsewhere a line every ten seconds. */
export class ShowProgress {
  readonly #stream: NodeJS.WriteStream;
  readonly #startMs = performance.now();
  #lastLineMs = performance.now();
  #hasBar = false;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  show(progress: Progress): void {
    if (this.#stream.isTTY) {
      this.#hasBar = true;
      this.#stream.write(`\r\u001b[K${barOf(progress, performance.now() - this.#startMs)}`);
    } else if (performance.now() - this.#lastLineMs >= LINE_MS) {
      this.#lastLineMs = performance.now();
      this.#stream.write(`${textOf(progress, performance.now() - this.#startMs)}\n`);
    }
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#hasBar) this.#stream.write("\r\u001b[K");
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
