import { createHash } from "node:crypto";
import type { LimitsFile } from "tollgate/config";

const CHARACTERS = 16;

/** A version of limits: files that say the same in the same order have one, on every node of a fleet. */
export function versionOf(file: LimitsFile): string {
  return createHash("sha256").update(JSON.stringify(file)).digest("hex").slice(0, CHARACTERS);
}
