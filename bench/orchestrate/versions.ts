import { readFile } from "node:fs/promises";
import { MANIFEST } from "./paths.ts";

/** What is measured: the bench's own dependencies are pinned exactly. */
export async function readVersions(): Promise<Record<string, string>> {
  const manifest = JSON.parse(await readFile(MANIFEST, "utf8")) as { readonly dependencies: Record<string, string> };
  return manifest.dependencies;
}
