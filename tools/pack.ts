import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** A target of `exports`: a file, targets by condition, a list of alternatives, or null. */
export type ExportTarget = string | null | readonly ExportTarget[] | { readonly [condition: string]: ExportTarget };

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, ExportTarget>>;
}

export interface PackedPackage {
  readonly manifest: Manifest;
  /** The path of the tarball. */
  readonly tarball: string;
  /** The files in it, by their paths below the package. */
  readonly files: readonly string[];
  /** The size of the installed package. */
  readonly unpackedBytes: number;
}

/** An entry of the JSON that `npm pack` prints. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
  readonly unpackedSize: number;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Packs a package as npm publishes it, without its scripts. */
export async function pack(folder: string, destination: string): Promise<PackedPackage> {
  const args = ["pack", "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", destination];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: folder, maxBuffer: 2 ** 28 });
  const [packed] = JSON.parse(stdout) as readonly [Packed];
  return {
    manifest: readManifest(folder),
    tarball: join(destination, packed.filename),
    files: packed.files.map(({ path }) => path),
    unpackedBytes: packed.unpackedSize,
  };
}
