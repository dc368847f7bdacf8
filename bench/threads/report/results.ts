import type { Miss } from "../../report/results.ts";
import type { Spread } from "../../report/spread.ts";
import type { GroupId, ThreadCount } from "../row.ts";

/** What a run found out across threads, as numbers; targets and ratios follow from it. */
export interface ThreadResults {
  readonly tables: readonly ThreadTable[];
  readonly misses: readonly Miss[];
}

export interface ThreadTable {
  readonly id: GroupId;
  readonly title: string;
  readonly rows: readonly ThreadRow[];
}

export interface ThreadRow {
  readonly row: string;
  readonly name: string;
  readonly options: string;
  readonly speeds: readonly ThreadSpeed[];
}

/** Decisions a second of so many threads together. */
export interface ThreadSpeed {
  readonly threads: ThreadCount;
  readonly perSecond: Spread;
}
