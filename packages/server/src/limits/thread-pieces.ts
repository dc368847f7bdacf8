import { parentPort, type ResourceLimits, Worker } from "node:worker_threads";
import type { FileText } from "../files/read-texts.ts";

/** Shorter files are read in the main thread: that blocks it for a few milliseconds, a thread starts for longer. */
const SHORT_CHARACTERS = 16 * 1024;

/**
 * Twice as much as by default. Collections of new objects run on threads of a priority that cannot be lowered, and
 * compete with requests: there are fewer of them.
 */
const RESOURCES: ResourceLimits = { maxYoungGenerationSizeMb: 96 };

export function areShort(texts: readonly FileText[]): boolean {
  return texts.reduce((sum, { text }) => sum + text.length, 0) <= SHORT_CHARACTERS;
}

/**
 * Starts a thread that reads files, and pulls what it has read, piece by piece: a long message would block this thread.
 * Rejects if the thread fails, such as for lack of memory.
 *
 * @param thread a built module that calls `sendPieces`.
 * @param add takes a piece, and returns the result with the last one.
 */
export async function pullPieces<Piece, Value>(
  thread: URL,
  texts: readonly FileText[],
  add: (piece: Piece) => Value | undefined,
): Promise<Value> {
  const worker = new Worker(thread, { workerData: texts, resourceLimits: RESOURCES });
  const pulled = new Promise<Value>((resolve, reject) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
    const ask = (): void => worker.postMessage("next");
    worker.on("message", (piece: Piece) => {
      const value = add(piece);
      if (value !== undefined) return resolve(value);
      // Later, so that requests are served in between.
      setImmediate(ask);
    });
    worker.on("error", reject);
    worker.on("exit", (code) => reject(new Error(`the thread that reads limits ended with ${code}`)));
    ask();
  });
  return pulled.finally(() => void worker.terminate());
}

/** Sends the next piece whenever the main thread asks for one. */
export function sendPieces(pieces: Iterator<unknown>): void {
  parentPort?.on("message", () => {
    const next = pieces.next();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
    if (next.done !== true) parentPort?.postMessage(next.value);
  });
}
