import type { TableId } from "../workloads/job.ts";
import type { Figure, Ratio } from "./figure.ts";

type Clock = "per call" | "coarse";

const PLAIN: Record<Clock, readonly string[]> = {
  "per call": ["memory", "table"],
  coarse: ["memory-coarse", "table-coarse"],
};
const TABLE_ONLY: Record<Clock, readonly string[]> = { "per call": ["table"], coarse: ["table-coarse"] };

/** `allow`: of the faster store; at a million keys of the table. */
function allowIn(table: TableId, clock: Clock): Figure {
  return nsOf(table, (table === "million" ? TABLE_ONLY : PLAIN)[clock]);
}

function nsOf(table: TableId, entries: readonly string[]): Figure {
  return { of: "ns", table, entries };
}

export function allowOverFastestRival(table: TableId, clock: Clock): Ratio {
  return { ours: allowIn(table, clock), theirs: { of: "fastest rival", table } };
}

export function allowOverFlexible(table: TableId, clock: Clock): Ratio {
  return { ours: allowIn(table, clock), theirs: nsOf(table, ["rate-limiter-flexible"]) };
}

/** One limit's time in two limits' times: below 1. */
export function twoLimitsOverOne(table: TableId, store: "memory" | "table"): Ratio {
  return { ours: nsOf(table, [`${store}-two-limits`]), theirs: nsOf(table, [store]) };
}

export const HANDLE_AT_A_MILLION: Figure = nsOf("million-in-turn", ["memory-coarse-handles", "table-coarse-handles"]);

export const BATCH_OVER_FASTEST_RIVAL: Ratio = {
  ours: nsOf("million", ["table-batches"]),
  theirs: { of: "fastest rival", table: "million" },
};

/** The table's time in the shared store's times, in one thread and with coarse clocks: below 1. */
export function tableOverShared(table: TableId, form: "keys" | "handles"): Ratio {
  const suffix = form === "keys" ? "coarse" : "coarse-handles";
  return { ours: nsOf(table, [`shared-${suffix}`]), theirs: nsOf(table, [`table-${suffix}`]) };
}
