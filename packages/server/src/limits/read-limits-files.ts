import { type DomainWords, type LimitsFile, parseLimits, trustLimitsFile } from "tollgate/config";
import * as yaml from "yaml";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "./limits-files.ts";
import { type Mistake, mistakeIn } from "./mistake.ts";
import { readEach } from "./read-each.ts";

/**
 * Reads limits files as one, each with domains of its own. `trustedHeaders` have to be alike in all files: those of one
 * would otherwise hold for the others.
 */
export function readLimitsFiles(texts: readonly FileText[]): Compiled<LimitsFile> {
  const { read, mistakes } = readEach(texts, (text, file) => parseLimits(text, { file, yaml }));
  const [first, ...others] = read;
  if (first === undefined && mistakes.length === 0)
    mistakes.push(mistakeIn("limits", "expected a file that ends with .yaml or .json, got no file"));
  mistakes.push(...conflicts(read));
  if (mistakes.length > 0 || first === undefined) return { mistakes };
  // A file that is alone keeps its mark of being checked.
  if (others.length === 0) return { value: first.value };
  const domains = Object.fromEntries(read.flatMap(({ value }) => domainsOf(value)));
  const { onFailure: _, ...words } = first.value;
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

function conflicts(read: readonly { readonly file: string; readonly value: LimitsFile }[]): Mistake[] {
  const owners = new Map<string, string>();
  const found: Mistake[] = [];
  const [first] = read;
  const complain = (file: string, message: string): void => void found.push(mistakeIn(file, message));
  for (const { file, value: limits } of read) {
    for (const domain of Object.keys(limits.domains)) {
      const owner = owners.get(domain);
      if (owner !== undefined) complain(file, `domains.${domain}: expected a domain that ${owner} does not have`);
      owners.set(domain, file);
    }
    if (first === undefined || textOf(limits) === textOf(first.value)) continue;
    complain(file, `trustedHeaders: expected the same as in ${first.file}`);
  }
  return found;
}

function textOf({ trustedHeaders = [] }: LimitsFile): string {
  return JSON.stringify([...trustedHeaders].sort());
}
