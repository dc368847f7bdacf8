import { parentPort, Worker, workerData } from "node:worker_threads";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "./limits-files.ts";

/** Shorter files are read in the main thread: that blocks it for a few milliseconds, a thread starts for longer. */
const SHORT_CHARACTERS = 16 * 1024;

/** How files are read. */
export type Read<Value> = (texts: readonly FileText[]) => Compiled<Value>;

/**
 * Reads long files in a thread, because 10,000 rules in YAML take a second. What comes back is plain data, as one text:
 * 10,000 rules take the main thread 15 ms. Rejects if the thread fails, such as for lack of memory.
 *
 * @param thread a built module that calls `readInThread` with the same function.
 */
export function readWithoutBlocking<Value>(
  texts: readonly FileText[],
  read: Read<Value>,
  thread: URL,
): Compiled<Value> | Promise<Compiled<Value>> {
  if (texts.reduce((sum, { text }) => sum + text.length, 0) <= SHORT_CHARACTERS) return read(texts);
  return new Promise((resolve, reject) => {
    const worker = new Worker(thread, { workerData: texts });
    worker.once("message", (compiled: string) => resolve(JSON.parse(compiled) as Compiled<Value>));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`the thread that reads limits ended with ${code}`)));
  });
}

/** What the thread does. */
export function readInThread<Value>(read: Read<Value>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Ports have no origin.
  parentPort?.postMessage(JSON.stringify(read(workerData as readonly FileText[])));
}
