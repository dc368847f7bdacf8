import type { Figure, Ratio } from "../harness/figures.ts";
import { rivalsIn } from "./catalog.ts";
import type { TableId } from "./jobs.ts";

// Ratios of nanoseconds a decision that are both targets and guarded. Above 1, the first row is faster.

export type Clock = "per call" | "coarse";

export function nsOf(table: TableId, ...rows: readonly string[]): Figure {
  return { table, rows, name: "ns" };
}

function faster(ours: Figure, theirs: Figure): Ratio {
  return { of: theirs, over: ours };
}

/** `allow` in the faster store. With a million keys, in the table store. */
function allowIn(table: TableId, clock: Clock): Figure {
  const stores = table === "million" ? ["table"] : ["memory", "table"];
  return nsOf(table, ...stores.map((store) => (clock === "coarse" ? `${store}-coarse` : store)));
}

export function allowOverFastestRival(table: TableId, clock: Clock): Ratio {
  return faster(allowIn(table, clock), nsOf(table, ...rivalsIn(table)));
}

export function allowOverFlexible(table: TableId, clock: Clock): Ratio {
  return faster(allowIn(table, clock), nsOf(table, "rate-limiter-flexible"));
}

/** Below 1: one limit takes less time than two. */
export function twoLimitsOverOne(table: TableId, store: "memory" | "table"): Ratio {
  return faster(nsOf(table, `${store}-two-limits`), nsOf(table, store));
}

export const HANDLE_AT_A_MILLION: Figure = nsOf("million-in-turn", "memory-coarse-handles", "table-coarse-handles");

const FASTEST_RIVAL = nsOf("million", ...rivalsIn("million"));

export const HANDLE_OVER_FASTEST_RIVAL: Ratio = faster(HANDLE_AT_A_MILLION, FASTEST_RIVAL);
export const BATCH_OVER_FASTEST_RIVAL: Ratio = faster(nsOf("million", "table-batches"), FASTEST_RIVAL);

/** The table store beside the shared store, in one thread with coarse clocks. Below 1: the table is faster. */
export function tableOverShared(table: TableId, form: "keys" | "handles"): Ratio {
  const suffix = form === "keys" ? "coarse" : "coarse-handles";
  return faster(nsOf(table, `shared-${suffix}`), nsOf(table, `table-${suffix}`));
}

export function weightOf(name: "bytesPerKey" | "worstStallMs", row: string): Figure {
  return { table: "weight", rows: [row], name };
}
