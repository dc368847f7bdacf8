import { readFileSync } from "node:fs";
import { type LimitsFile, LimitsFileError, parseLimits } from "tollgate/config";
import * as yaml from "yaml";
import { UsageError } from "../../command/usage-error.ts";
import type { Output } from "./output.ts";

/** Reads a file. Prints one line for each mistake, and returns `undefined`, if it has any. */
export function readLimitsFile(file: string, { printError }: Output): LimitsFile | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    printError(`${file}: expected a file that can be read, got ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
  try {
    return parseLimits(text, { file, yaml });
  } catch (error) {
    if (!(error instanceof LimitsFileError)) throw error;
    for (const line of error.message.split("\n")) printError(line);
    return undefined;
  }
}

/**
 * The domain of that name, or the first one without a name.
 *
 * @throws UsageError for a domain that the file does not have.
 */
export function domainOf(file: LimitsFile, name: string | undefined): string {
  const domains = Object.keys(file.domains);
  const domain = name ?? domains[0] ?? "";
  if (domains.includes(domain)) return domain;
  throw new UsageError(`--domain: expected one of ${domains.join(", ")}, got ${JSON.stringify(domain)}`);
}
