import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type PackedPackage, pack } from "../../tools/pack.ts";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { plant } from "../support/temporary-folder.ts";
import { install, packInstalled } from "./projects.ts";

/** What the library loads, and npm installs with it. */
export const DEPENDENCIES: readonly string[] = ["cluster-key-slot"];

/** A tool of users that `tools/install-apart.sh` installed. */
export function toolOf(path: string): string {
  return join(REPOSITORY, "test/packaging/installed/node_modules", path);
}

/** The built library, and the tarballs that a user's project installs: the library's and those of its dependencies. */
export interface PackedLibrary {
  readonly packed: PackedPackage;
  readonly tarballs: readonly string[];
}

/** Packs the built library and its dependencies into `folder`. */
export async function packAll(library: string, folder: string): Promise<PackedLibrary> {
  mkdirSync(folder, { recursive: true });
  const [packed, ...others] = await Promise.all([
    pack(library, folder),
    ...DEPENDENCIES.map((name) => packInstalled(name, folder)),
  ]);
  return { packed, tarballs: [packed.tarball, ...others] };
}

/** Creates a project in `root`, with the built library of this repository installed from its tarball. */
export async function plantInstalled(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  const manifest = JSON.stringify({ name: "project", version: "1.0.0", private: true });
  plant(root, { "package.json": manifest, ...files });
  const { tarballs } = await packAll(join(REPOSITORY, "packages/tollgate"), join(root, ".tarballs"));
  const { status, stderr } = await install(root, tarballs);
  if (status !== 0) throw new Error(`npm did not install the tarballs: ${stderr}`);
}
