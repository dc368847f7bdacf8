import { readFile } from "node:fs/promises";
import { MANIFEST } from "../paths.ts";

const MEASURED = ["tollgate", "ioredis", "rate-limiter-flexible", "rate-limit-redis"] as const;

/** The bench's own dependencies are pinned exactly. */
export async function readVersions(): Promise<Record<string, string>> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(MANIFEST, "utf8")) as {
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
  };
  const all = { ...dependencies, ...devDependencies };
  return Object.fromEntries(MEASURED.map((name) => [name, all[name] ?? "unknown"]));
}
