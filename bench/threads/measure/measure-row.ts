import { measureCluster } from "../cluster/measure-cluster.ts";
import { measureMessages } from "../messages/measure-messages.ts";
import type { Plan } from "../plan.ts";
import type { NodeRow } from "../row.ts";
import { measureShared } from "../shared/measure-shared.ts";

/** Decisions a second of so many threads. */
export function measureRow(row: NodeRow, threads: number, plan: Plan): Promise<number> {
  switch (row.runs) {
    case "in shared memory":
      return measureShared(row.variant, threads, plan);
    case "by messages":
      return measureMessages(threads, plan);
    case "in a cluster":
      return measureCluster(threads, plan);
    default:
      return row satisfies never;
  }
}
