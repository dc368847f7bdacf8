import { cp, mkdir, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.ts";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
/** Copies lie inside the workspace, where packages are found, and where git does not look; each run has its own. */
const ALL_COPIES = join(ROOT, ".mutants");
const COPIES = join(ALL_COPIES, String(process.pid));
const LIBRARY = join("packages", "tollgate");
/** The tests that judge a mutant; those of the algorithms import the copy's source by relative paths. */
export const TESTS: readonly string[] = ["algorithms", "properties"].map((folder) => join(LIBRARY, "test", folder));

/** A copy of the library's source and tests, the working tree's layout around it. */
export interface Copy {
  readonly root: string;
  readonly source: string;
}

export async function makeCopy(name: string): Promise<Copy> {
  const root = join(COPIES, name);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  for (const folder of ["src", join("test", "algorithms"), join("test", "properties"), join("test", "reference")]) {
    await cp(join(ROOT, LIBRARY, folder), join(root, LIBRARY, folder), { recursive: true });
  }
  return { root, source: join(root, LIBRARY, "src") };
}

/** @throws Error when the mutant's text is not there exactly once: its table is out of date. */
export async function mutate({ source }: Copy, { name, file, find, replace }: Mutant): Promise<void> {
  const path = join(source, "algorithms", file);
  const text = await readFile(path, "utf8");
  const found = text.split(find).length - 1;
  if (found !== 1) throw new Error(`${name}: expected its text once in ${file}, found it ${found} times`);
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
}

export async function removeCopies(): Promise<void> {
  await rm(COPIES, { recursive: true, force: true });
  // Another run may still have its own.
  if ((await readdir(ALL_COPIES)).length === 0) await rmdir(ALL_COPIES);
}
