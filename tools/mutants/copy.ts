import { cp, mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
/** Copies are inside the workspace, so that imports find its packages. Git ignores them. Each run has its own. */
const ALL_COPIES = join(ROOT, ".mutants");
const COPIES = join(ALL_COPIES, String(process.pid));
const LIBRARY = join("packages", "tollgate");
/** The folders of tests that run on a mutant. Some import the copy's source by relative paths. */
const TESTED = ["algorithms", "properties", join("stores", "layouts"), join("metrics", "hot-keys")];
export const TESTS: readonly string[] = TESTED.map((folder) => join(LIBRARY, "test", folder));

/** What these tests import. */
const COPIED: readonly string[] = [
  "src",
  ...[...TESTED, "reference"].map((folder) => join("test", folder)),
  join("test", "stores", "local", "random-words.ts"),
];

/** A copy of the library's source and tests, in the layout of the working tree. */
export interface Copy {
  readonly root: string;
  readonly source: string;
}

export async function makeCopy(name: string): Promise<Copy> {
  const root = join(COPIES, name);
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  for (const path of COPIED) await cp(join(ROOT, LIBRARY, path), join(root, LIBRARY, path), { recursive: true });
  return { root, source: join(root, LIBRARY, "src") };
}

export async function removeCopies(): Promise<void> {
  await rm(COPIES, { recursive: true, force: true });
  // Another run may still have copies.
  if ((await readdir(ALL_COPIES)).length === 0) await rmdir(ALL_COPIES);
}
