import { readFileSync } from "node:fs";
import { describeMistake, type LimitsFile, readLimits } from "tollgate/config";
import * as yaml from "yaml";

/** A file that was read, or one line for each mistake. */
export type ReadFile = { readonly limits: LimitsFile } | { readonly lines: readonly string[] };

export function readLimitsFile(file: string): ReadFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return { lines: [`${file}: expected a file that can be read, got ${(error as NodeJS.ErrnoException).code}`] };
  }
  const read = readLimits(text, { file, yaml });
  return read.ok ? { limits: read.limits } : { lines: read.mistakes.map(describeMistake) };
}
