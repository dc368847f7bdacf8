import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { type PackedPackage, pack } from "../../tools/pack.ts";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { run } from "../support/run.ts";
import { plant } from "../support/temporary-folder.ts";
import { folderOf, packInstalled } from "./projects.ts";

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

const PACKED = join(REPOSITORY, "node_modules/.cache/packed");

/** The tarball of this repository's built library. It is packed once for each build, because npm takes a second. */
async function packBuilt(): Promise<string> {
  const library = join(REPOSITORY, "packages/tollgate");
  const hash = createHash("sha256");
  for (const file of ["package.json", "README.md", "dist"].flatMap((name) => filesIn(library, name))) {
    hash.update(`${file}\n`).update(readFileSync(join(library, file)));
  }
  const folder = join(PACKED, hash.digest("hex").slice(0, 16));
  const tarball = join(folder, "tollgate.tgz");
  if (existsSync(tarball)) return tarball;
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(folder, "packing-"));
  // Another process may have packed the same meanwhile.
  renameSync((await pack(library, own)).tarball, tarball);
  rmSync(own, { recursive: true });
  return tarball;
}

function filesIn(root: string, path: string): readonly string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesIn(root, join(path, name)));
}

/** Puts the tarball of the built library and its dependencies into `node_modules`, as packaging.test.ts does by npm. */
export async function unpackBuilt(root: string): Promise<void> {
  const installed = join(root, "node_modules/tollgate");
  mkdirSync(installed, { recursive: true });
  const args = ["-xzf", await packBuilt(), "-C", installed, "--strip-components=1"];
  const { status, stderr } = await run("tar", args, {});
  if (status !== 0) throw new Error(`the tarball cannot be unpacked: ${stderr}`);
  for (const name of DEPENDENCIES) cpSync(folderOf(name), join(root, "node_modules", name), { recursive: true });
}

/** Creates a project in `root`, with the built library of this repository unpacked from its tarball. */
export async function plantInstalled(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  const manifest = JSON.stringify({ name: "project", version: "1.0.0", private: true });
  plant(root, { "package.json": manifest, ...files });
  await unpackBuilt(root);
}
