import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders that hold nothing of ours: installed packages, and what builds and tests write. */
const FOREIGN = new Set([
  "node_modules",
  "dist",
  ".types",
  "installed",
  "coverage",
  ".git",
  ".generated",
  ".mutants",
  ".cache",
]);
const WITH_PROSE = /\.(?:md|ts|js|mjs|lua|rs|c|sh)$|(?:^|\/)\.ci\/run$/u;

/** Every file of the project that may have prose, by its path below `root`. */
export function proseFiles(root: string, folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : proseFiles(root, path);
      return WITH_PROSE.test(path) ? [path] : [];
    })
    .sort();
}
