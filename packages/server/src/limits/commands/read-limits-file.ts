import { readFileSync } from "node:fs";
import { type LimitsFile, LimitsFileError, parseLimits } from "tollgate/config";
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
  try {
    return { limits: parseLimits(text, { file, yaml }) };
  } catch (error) {
    if (!(error instanceof LimitsFileError)) throw error;
    return { lines: error.message.split("\n") };
  }
}
