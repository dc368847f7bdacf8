import { type DomainWords, type LimitsFile, LimitsFileError, parseLimits, trustLimitsFile } from "tollgate/config";
import * as yaml from "yaml";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "./limits-files.ts";
import type { Mistake } from "./mistake.ts";

/**
 * Reads limits files as one, each with domains of its own. `trustedHeaders` have to be alike in all files: those of one
 * would otherwise hold for the others.
 */
export function readLimitsFiles(texts: readonly FileText[]): Compiled<LimitsFile> {
  const mistakes: Mistake[] = [];
  const read: { readonly file: string; readonly limits: LimitsFile }[] = [];
  for (const { file, text } of texts) {
    try {
      read.push({ file, limits: parseLimits(text, { file, yaml }) });
    } catch (error) {
      if (!(error instanceof LimitsFileError)) throw error;
      mistakes.push(...error.mistakes.map((mistake) => placed(mistake, file)));
    }
  }
  const [first, ...others] = read;
  if (first === undefined && mistakes.length === 0) {
    mistakes.push({
      file: "limits",
      line: 1,
      column: 1,
      message: "expected a file that ends with .yaml or .json, got no file",
    });
  }
  mistakes.push(...conflicts(read));
  if (mistakes.length > 0 || first === undefined) return { mistakes };
  // A file that is alone keeps its mark of being checked.
  if (others.length === 0) return { value: first.limits };
  const domains = Object.fromEntries(read.flatMap(({ limits }) => domainsOf(limits)));
  const { onFailure: _, ...words } = first.limits;
  // Each file was checked, and no domain is in two of them.
  return { value: trustLimitsFile({ ...words, domains }) };
}

/** The domains of a file, each with the policy of its file. */
function domainsOf({ domains, onFailure }: LimitsFile): [string, DomainWords][] {
  return Object.entries(domains).map(([name, words]) => [
    name,
    onFailure === undefined ? words : { onFailure, ...words },
  ]);
}

function placed({ line = 1, column = 1, path, message }: LimitsFileError["mistakes"][number], file: string): Mistake {
  return { file, line, column, message: path === "" ? message : `${path}: ${message}` };
}

function conflicts(read: readonly { readonly file: string; readonly limits: LimitsFile }[]): Mistake[] {
  const owners = new Map<string, string>();
  const found: Mistake[] = [];
  const [first] = read;
  const complain = (file: string, message: string): void => void found.push({ file, line: 1, column: 1, message });
  for (const { file, limits } of read) {
    for (const domain of Object.keys(limits.domains)) {
      const owner = owners.get(domain);
      if (owner !== undefined) complain(file, `domains.${domain}: expected a domain that ${owner} does not have`);
      owners.set(domain, file);
    }
    if (first === undefined || textOf(limits) === textOf(first.limits)) continue;
    complain(file, `trustedHeaders: expected the same as in ${first.file}`);
  }
  return found;
}

function textOf({ trustedHeaders = [] }: LimitsFile): string {
  return JSON.stringify([...trustedHeaders].sort());
}
