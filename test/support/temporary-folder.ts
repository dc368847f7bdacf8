import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** An empty folder outside the repository. Whoever asks for it removes it. */
export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "tollgate-")));
}

/** Writes files, by their paths below `root`. */
export function plant(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
