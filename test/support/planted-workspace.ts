import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNode } from "./run.ts";
import { plant, temporaryFolder } from "./temporary-folder.ts";

export const REPOSITORY: string = fileURLToPath(new URL("../../", import.meta.url));

/** The settings of the linters in this repository, which also apply to planted files. */
const SETTINGS = [
  ".gitignore",
  "biome.json",
  "package.json",
  "packages/server/package.json",
  "packages/server/tsconfig.json",
  "packages/tollgate/package.json",
  "packages/tollgate/tsconfig.json",
  "tools/index-assertion.grit",
  "tsconfig.base.json",
];

/** A copy of the workspace with its settings and only the given sources. The caller removes it. */
export function plantWorkspace(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const path of SETTINGS) cpSync(join(REPOSITORY, path), join(root, path));
  plant(root, files);
  return root;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  /** Such as `lint/style/noRestrictedImports`, or `plugin` for the rules in `tools`. */
  readonly rule: string;
}

interface BiomeReport {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly location: { readonly path: string; readonly start: { readonly line: number } };
  }[];
}

/** The findings of `biome lint` below `root`, by all rules or by the given ones, in the order of the lines. */
export async function biomeFindings(root: string, rules: readonly string[] = []): Promise<readonly Finding[]> {
  const biome = join(REPOSITORY, "node_modules/@biomejs/biome/bin/biome");
  const only = rules.map((rule) => `--only=${rule}`);
  const { stdout, stderr } = await runNode(root, [biome, "lint", "--reporter=json", "--max-diagnostics=none", ...only]);
  if (!stdout.startsWith("{")) throw new Error(`biome did not report: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as BiomeReport;
  const findings = diagnostics.map(({ category, location }) => {
    return { path: location.path, line: location.start.line, rule: category };
  });
  return findings.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path.localeCompare(b.path)));
}
