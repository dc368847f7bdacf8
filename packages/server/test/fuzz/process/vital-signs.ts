import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** What a process says of itself. */
export interface VitalSigns {
  /** What is reachable: the heap after a garbage collection, and memory outside of it. */
  readonly keptBytes: number;
  readonly rssBytes: number;
  /** The kinds of what keeps the event loop busy, such as `TCPSocketWrap`. */
  readonly resources: readonly string[];
}

/** The module that answers in the processes of a service. */
export const VITAL_SIGNS: string = new URL("vital-signs.mjs", import.meta.url).href;

/** Asks all processes of a service. They answer when their event loops are free. */
export async function askForSigns(folder: string): Promise<readonly VitalSigns[]> {
  const pids = await readdir(folder);
  return Promise.all(pids.map(async (pid) => JSON.parse(await text(connect(join(folder, pid)))) as VitalSigns));
}

export function sumOfSigns(signs: readonly VitalSigns[]): VitalSigns {
  const sum = (amountOf: (one: VitalSigns) => number): number => signs.reduce((all, one) => all + amountOf(one), 0);
  return {
    keptBytes: sum(({ keptBytes }) => keptBytes),
    rssBytes: sum(({ rssBytes }) => rssBytes),
    resources: signs.flatMap(({ resources }) => resources),
  };
}
