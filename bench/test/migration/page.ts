import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import type { RunnerTestCase } from "vitest";

/** A row of a page's tables: what users wrote, and what to write here. */
export interface Row {
  readonly theirs: string;
  readonly ours: string;
}

function read(page: string): string {
  return readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
}

export function rowsOf(page: string): Row[] {
  const rows = [...read(page).matchAll(/^\| (.+?) \| (.+) \|$/gm)];
  return rows.map(([, theirs = "", ours = ""]) => ({ theirs, ours })).filter(({ ours }) => !OTHER_HEADS.has(ours));
}

const OTHER_HEADS = new Set(["ours", "here", "decision"]);

/** The code of a cell. */
export function codeOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** What a cell says that is nothing but options, such as `skip: () => true`, with the names that it uses. */
export function optionsOf(cell: string, names: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const code = cell.slice(1, -1).replaceAll(": HttpFacts", "");
  return runInNewContext(`({ ${code} })`, { ...names }) as Record<string, unknown>;
}

/** The rows whose cells are options and nothing else: a program that writes ours for theirs behaves the same. */
export function sameRowsOf(page: string): Row[] {
  const isOptions = (cell: string) => /^`\w+: [^`]+`$/.test(cell.replace(/, the default$/, ""));
  return rowsOf(page).filter(({ theirs, ours }) => isOptions(theirs) && isOptions(ours));
}

/** The bold phrases of what a page says that behaves differently. */
export function claimsOf(page: string): (string | undefined)[] {
  const [, section = ""] = read(page).split("\n## What behaves differently\n");
  return [...section.matchAll(/^- \*\*([\s\S]+?)\*\*/gm)].map(([, phrase]) => phrase);
}

/**
 * What users had, in the rows of prose and fragments. `redis-rows.deep.test.ts` runs those of `redisStore`, and the
 * tests of the cluster store run it in processes of its own.
 */
export function otherRowsOf(page: string): string[] {
  const same = sameRowsOf(page);
  const isOther = ({ theirs, ours }: Row) =>
    !(/^not (?:there|needed)|redisStore|clusterStore/.test(ours) || same.some((row) => row.theirs === theirs));
  return rowsOf(page)
    .filter(isOther)
    .map(({ theirs }) => theirs)
    .sort();
}

/** The titles of the tests that come after a test. */
export function titlesBeside({ suite }: RunnerTestCase): string[] {
  return (suite?.tasks ?? []).slice(1).map(({ name }) => name);
}

/** The rows that the tests after a test run, by their titles. */
export function rowsBeside(test: RunnerTestCase): string[] {
  return titlesBeside(test)
    .flatMap((title) => title.split(" | "))
    .sort();
}
