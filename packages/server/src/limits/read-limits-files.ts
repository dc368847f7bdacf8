import { type LimitsFile, type ReadLimits, readLimits } from "tollgate/config";
import * as yaml from "yaml";
import type { FileText } from "../files/read-texts.ts";
import type { Compiled } from "./limits-files.ts";
import type { Mistake } from "./mistake.ts";
import { readInThread } from "./read-in-thread.ts";

/**
 * Reads limits files as one, each with domains of its own. `trustedHeaders` have to be alike in all files: those of one
 * would otherwise hold for the others.
 */
export function readLimitsFiles(texts: readonly FileText[]): Compiled<LimitsFile> {
  return combined(
    texts,
    texts.map(({ file, text }) => readLimits(text, { file, yaml })),
  );
}

/** Whether reading takes so long that another thread has to do it: some 20 ms or more. */
export function areLong(texts: readonly FileText[]): boolean {
  return texts.reduce((sum, { text }) => sum + text.length, 0) > LONGEST_SHORT;
}

const LONGEST_SHORT = 20_000;

/** Works like `readLimitsFiles`, and does not keep this thread from other work. */
export async function readLimitsLater(texts: readonly FileText[]): Promise<Compiled<LimitsFile>> {
  return areLong(texts) ? combined(texts, await readInThread(texts)) : readLimitsFiles(texts);
}

function combined(texts: readonly FileText[], results: readonly ReadLimits[]): Compiled<LimitsFile> {
  const mistakes: Mistake[] = [];
  const read: { readonly file: string; readonly limits: LimitsFile }[] = [];
  for (const [i, result] of results.entries()) {
    const file = texts[i]?.file ?? "";
    if (result.ok) read.push({ file, limits: result.limits });
    else mistakes.push(...result.mistakes.map((mistake) => placed(mistake, file)));
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
  const domains = Object.assign({}, ...read.map(({ limits }) => limits.domains)) as LimitsFile["domains"];
  return { value: { ...first.limits, domains } };
}

type LibraryMistake = Extract<ReturnType<typeof readLimits>, { ok: false }>["mistakes"][number];

function placed({ line = 1, column = 1, path, message }: LibraryMistake, file: string): Mistake {
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
