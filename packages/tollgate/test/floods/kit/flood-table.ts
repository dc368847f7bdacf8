import type { Flood } from "./flood.ts";
import type { FloodResult } from "./run-flood.ts";
import { sumOf } from "./tally.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Rows of the tables that a reporter prints at the end of the run. */
    figures?: readonly Figures[];
  }
}

export interface Figures {
  readonly table: string;
  readonly cells: Readonly<Record<string, string | number>>;
}

export function figuresOf(flood: Flood, { findings, server }: FloodResult): Figures {
  const { adapter, client, condition, algorithm, connections, policy } = flood;
  const { admitted, degraded, denied, unavailable } = sumOf(findings);
  return {
    table: "floods",
    cells: {
      ...{ Redis: condition, adapter, client, algorithm, connections, onFailure: policy },
      ...{ requests: admitted + denied + unavailable, keys: Object.keys(findings.byKey).length },
      ...{ admitted, degraded, denied, unavailable },
      "p99 ms": Math.round(findings.p99Ms),
      "took ms": Math.round(findings.tookMs),
      opened: server.opened,
      "peak MB": server.peakMb,
      causes: Object.entries(findings.causes)
        .map(([cause, count]) => `${cause}: ${count}`)
        .join("; "),
    },
  };
}
