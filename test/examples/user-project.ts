import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { unpackBuilt } from "../packaging/installed-project.ts";
import { type Run, runNode } from "../support/run.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { REPOSITORY } from "./code-blocks.ts";

/** Other packages than the workspace has: pinned, and installed once by tools/install-apart.sh. */
const INSTALLED = join(REPOSITORY, "test/examples/installed/node_modules");

/** Packages of an example that the library's tests need, too. */
const OF_WORKSPACE = ["@nestjs/common", "@nestjs/core", "@nestjs/platform-express", "reflect-metadata", "rxjs"];

/**
 * A folder outside the repository with the packed library and its dependencies in `node_modules`, and links to all
 * packages of `installed`. It is removed after the file's tests.
 */
export async function createUserProject(): Promise<string> {
  if (!existsSync(INSTALLED)) {
    throw new Error("packages are missing: run sh tools/install-apart.sh");
  }
  const root = folderOfFile();
  await unpackBuilt(root);
  for (const name of packagesIn(INSTALLED)) linkTo(join(root, "node_modules", name), join(INSTALLED, name));
  for (const name of OF_WORKSPACE) linkTo(join(root, "node_modules", name), join(REPOSITORY, "node_modules", name));
  return root;
}

/** Compiles projects by their `tsconfig.json`, in one process. */
export function compileProjects(folders: readonly string[]): Promise<Run> {
  return runNode(REPOSITORY, [join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-b", ...folders]);
}

function packagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => {
      return name.startsWith("@") ? readdirSync(join(folder, name)).map((entry) => `${name}/${entry}`) : [name];
    });
}

/** What the tarball brought stays. */
function linkTo(place: string, target: string): void {
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place);
}
