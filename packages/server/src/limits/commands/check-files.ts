import type { LimitsFile } from "tollgate/config";
import { counted, type Output } from "./output.ts";
import { readLimitsFile } from "./read-limits-file.ts";

/** Prints what is wrong with limits files, `file:line:column: …`, or what is in them. */
export function checkFiles(files: readonly string[], output: Output): 0 | 1 {
  let exitCode: 0 | 1 = 0;
  for (const file of files) {
    const limits = readLimitsFile(file, output);
    if (limits === undefined) exitCode = 1;
    else output.print(`${file}: ${contentOf(limits)}`);
  }
  return exitCode;
}

function contentOf({ domains }: LimitsFile): string {
  const all = Object.values(domains);
  const rules = all.reduce((count, { limits }) => count + Object.keys(limits).length, 0);
  return `${counted(rules, "rule")} in ${counted(all.length, "domain")}`;
}
