import { cpSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { type Run, runNode } from "../support/run.ts";

export interface CleanBuild {
  readonly folder: string;
  readonly built: Run;
}

/**
 * Builds the library from a copy of its sources below `root`. So the package has no file that an earlier build has left
 * in `dist`.
 */
export async function buildCleanly(root: string): Promise<CleanBuild> {
  const folder = join(root, "packages/tollgate");
  cpSync(join(REPOSITORY, "packages/tollgate"), folder, {
    recursive: true,
    filter: (path) => !/\/(\.types|dist|node_modules)$/.test(path),
  });
  cpSync(join(REPOSITORY, "tsconfig.base.json"), join(root, "tsconfig.base.json"));
  for (const place of ["node_modules", "packages/tollgate/node_modules"]) {
    if (existsSync(join(REPOSITORY, place))) symlinkSync(join(REPOSITORY, place), join(root, place));
  }
  const checked = await runNode(folder, [join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-b"]);
  if (checked.status !== 0) return { folder, built: checked };
  const tsx = join(REPOSITORY, "node_modules/tsx/dist/cli.mjs");
  return { folder, built: await runNode(folder, [tsx, join(REPOSITORY, "tools/build/library.ts"), folder]) };
}
