import type { Entry } from "../contenders/entry.ts";
import type { TableId } from "../workloads/job.ts";
import type { Spread } from "./spread.ts";

/** All that a run found out, as numbers; targets and ratios follow from it. */
export interface Results {
  readonly tables: readonly Table[];
  readonly weights: readonly WeightRow[];
  readonly misses: readonly Miss[];
}

/** Nanoseconds a decision of every contender that was asked the same. */
export interface Table {
  readonly id: TableId;
  readonly title: string;
  readonly rows: readonly Row[];
}

interface Named {
  readonly entry: string;
  readonly name: string;
  readonly options: string;
  readonly family: Entry["family"];
}

export interface Row extends Named {
  /** Whether it forgot keys, because it keeps fewer than there were. */
  readonly forgets: boolean;
  readonly ns: Spread;
}

/** What a million keys weigh. */
export interface WeightRow extends Named {
  readonly forgets: boolean;
  readonly bytesPerKey: Spread;
  readonly worstStallMs: Spread;
  readonly collectMs: Spread;
}

/** What should have been measured and was not. */
export interface Miss {
  readonly kind: "failed" | "skipped";
  readonly what: string;
  readonly reason: string;
}
