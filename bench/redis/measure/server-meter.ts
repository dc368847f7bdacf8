import type { Redis } from "ioredis";
import { type CommandStats, readCommandStats, readMainThreadUs } from "../server/command-stats.ts";

/** What the server spent. */
export interface Spent {
  readonly commands: ReadonlyMap<string, CommandStats>;
  readonly processorUs: number;
}

/** Begins to note what the server spends; the function that it gives says what it was until then. */
export async function startMeter(admin: Redis): Promise<() => Promise<Spent>> {
  const beforeUs = readMainThreadUs(await admin.info("cpu"));
  await admin.config("RESETSTAT");
  return async () => {
    const commands = readCommandStats(await admin.info("commandstats"));
    return { commands, processorUs: readMainThreadUs(await admin.info("cpu")) - beforeUs };
  };
}
