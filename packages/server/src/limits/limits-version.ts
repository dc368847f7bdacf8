import { createHash } from "node:crypto";
import type { LimitsFile } from "tollgate/config";

const CHARACTERS = 16;

/** Those that another thread has found: for a large file that takes long. */
const KNOWN = new WeakMap<LimitsFile, string>();

export function rememberVersion(file: LimitsFile, version: string): void {
  KNOWN.set(file, version);
}

/** A version of limits: files that say the same in the same order have one, on every node of a fleet. */
export function versionOf(file: LimitsFile): string {
  const known = KNOWN.get(file);
  return known ?? createHash("sha256").update(JSON.stringify(file)).digest("hex").slice(0, CHARACTERS);
}
