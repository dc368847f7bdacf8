import { type LimitsFile, trustLimitsFile } from "tollgate/config";
import type { FileText } from "../files/read-texts.ts";
import { readWithoutBlocking } from "./in-thread.ts";
import type { Compiled } from "./limits-files.ts";
import { readLimitsFiles } from "./read-limits-files.ts";

// Threads run the built file, also when the tests run this one.
const THREAD = new URL("../../dist/limits/parse-thread.js", import.meta.url);

/** Reads limits files without blocking this thread. */
export function readLimitsWithoutBlocking(
  texts: readonly FileText[],
): Promise<Compiled<LimitsFile>> | Compiled<LimitsFile> {
  const read = readWithoutBlocking(texts, readLimitsFiles, THREAD);
  return read instanceof Promise ? read.then(trusted) : read;
}

/** The thread has checked the limits; what came is a copy. */
function trusted(compiled: Compiled<LimitsFile>): Compiled<LimitsFile> {
  return compiled.value === undefined ? compiled : { value: trustLimitsFile(compiled.value) };
}
