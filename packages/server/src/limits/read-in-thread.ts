import { Worker } from "node:worker_threads";
import { type LimitsFile, trustLimitsFile } from "tollgate/config";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "./limits-files.ts";
import { JoinedPieces, type LimitsPiece } from "./limits-pieces.ts";
import { rememberVersion } from "./limits-version.ts";
import { readLimitsFiles } from "./read-limits-files.ts";

/** Shorter files are read in this thread: that blocks it for a few milliseconds, a thread starts for longer. */
const SHORT_CHARACTERS = 16 * 1024;

// Threads run the built file, also when the tests run this one.
const THREAD = new URL("../../dist/limits/parse-thread.js", import.meta.url);

/** Reads limits files without blocking this thread: 10,000 rules in YAML take about a second. */
export function readWithoutBlocking(texts: readonly FileText[]): Promise<Compiled<LimitsFile>> | Compiled<LimitsFile> {
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  return characters <= SHORT_CHARACTERS ? readLimitsFiles(texts) : readInThread(texts);
}

/** Rejects if the thread fails, such as for lack of memory. */
function readInThread(texts: readonly FileText[]): Promise<Compiled<LimitsFile>> {
  const thread = new Worker(THREAD, { workerData: texts });
  const joined = new JoinedPieces();
  const read = new Promise<Compiled<LimitsFile>>((resolve, reject) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
    const ask = (): void => thread.postMessage("next");
    thread.on("message", (piece: LimitsPiece) => {
      if (piece.type === "mistakes") return resolve({ mistakes: piece.mistakes });
      const file = joined.add(piece);
      if (piece.type === "end" && file !== undefined) {
        // The thread has checked it; what came is a copy.
        const value = trustLimitsFile(file);
        rememberVersion(value, piece.version);
        return resolve({ value });
      }
      // Later, so that requests are served in between.
      setImmediate(ask);
    });
    thread.on("error", reject);
    thread.on("exit", (code) => reject(new Error(`the thread that reads limits ended with ${code}`)));
    ask();
  });
  return read.finally(() => void thread.terminate());
}
