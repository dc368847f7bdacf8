import type { LimitsFile } from "tollgate/config";
import type { Output } from "./output.ts";
import { readLimitsFile } from "./read-limits-file.ts";

/** Prints what is wrong with limits files, `file:line:column: …`, or what is in them. */
export function checkFiles(files: readonly string[], { print, printError }: Output): 0 | 1 {
  let exitCode: 0 | 1 = 0;
  for (const file of files) {
    const read = readLimitsFile(file);
    if ("limits" in read) print(`${file}: ${contentOf(read.limits)}`);
    else {
      for (const line of read.lines) printError(line);
      exitCode = 1;
    }
  }
  return exitCode;
}

function contentOf({ domains }: LimitsFile): string {
  const all = Object.values(domains);
  const rules = all.reduce((count, { limits }) => count + Object.keys(limits).length, 0);
  return `${counted(rules, "rule")} in ${counted(all.length, "domain")}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
