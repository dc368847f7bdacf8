import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DomainWords, LimitsFile, RuleWords } from "tollgate/config";
import { stringify } from "yaml";
import { fileOf } from "../limits/matching.ts";

/** A file whose only rule counts each client, and admits everything. */
export const ONE_RULE: LimitsFile = {
  version: 1,
  domains: { api: { limits: { client: { by: "ip", rate: "9000000/1s" } } } },
};

/** The same as one of Envoy's files. */
export const ENVOY_RULE: object = {
  domain: "api",
  descriptors: [{ key: "remote_address", rate_limit: { unit: "second", requests_per_unit: 9_000_000 } }],
};

/** So many rules that differ in their paths: `api` has up to ten thousand, more are in other files and domains. */
export function filesOfRules(rules: number): readonly LimitsFile[] {
  const first = fileOf(Math.min(rules, MOST));
  const others = Array.from({ length: Math.ceil(rules / MOST) - 1 }, (_, i): LimitsFile => {
    return { ...first, domains: { [`api-${i + 2}`]: first.domains["api"]! } };
  });
  return [first, ...others];
}

const MOST = 10_000;

/** The same as a text of YAML, with a rate for every rule, and a domain for Envoy's protocol. */
export function yamlOfRules(rules: number, rate: `${number}/1s`): string {
  const limits = Object.entries(fileOf(rules).domains["api"]!.limits).map(([name, rule]): [string, RuleWords] => [
    name,
    { ...rule, rate },
  ]);
  const edge: DomainWords = { limits: { client: { by: "ip", rate } } };
  return stringify({ version: 1, domains: { api: { limits: Object.fromEntries(limits) }, edge } });
}

/** Calls with a directory of the files. */
export function withFiles<T>(files: readonly object[], use: (directory: string) => Promise<T>): Promise<T> {
  return withFolder(async (directory) => {
    for (const [i, file] of files.entries()) await writeFile(join(directory, `${i}.json`), JSON.stringify(file));
    return use(directory);
  });
}

/** Calls with an empty folder, which is removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "tollgate-limits-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
