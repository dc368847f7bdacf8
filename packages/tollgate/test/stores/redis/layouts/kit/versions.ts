import { fileURLToPath } from "node:url";
import { runTogether } from "../../chaos/kit/processes.ts";

const PROGRAM = fileURLToPath(new URL("version-of-fleet.ts", import.meta.url));

/** The work of one version. */
export interface VersionOrders {
  readonly port: number;
  readonly prefix: string;
  readonly kind: "bucket" | "sliding" | "fixed";
  /** The capacity of the limit, whose period is a second. */
  readonly capacity: number;
  readonly seconds: number;
}

export interface VersionTally {
  readonly asked: number;
  readonly admitted: number;
  readonly degraded: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Starts the versions together, each in its own process. */
export async function takeAgainst(all: readonly VersionOrders[]): Promise<readonly VersionTally[]> {
  return (await runTogether(PROGRAM, all)) as readonly VersionTally[];
}
