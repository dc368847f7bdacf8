import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

/** Creates an empty folder outside the repository. The caller removes it. */
export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "tollgate-")));
}

/** A folder for all tests of a file, which is removed after them. */
export function folderOfFile(): string {
  const folder = temporaryFolder();
  afterAll(() => remove(folder));
  return folder;
}

/** Writes files. The keys are paths below `root`. */
export function plant(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
