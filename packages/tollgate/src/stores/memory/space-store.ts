import type { Clock } from "../../core/clock.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { ResetLog } from "../local/reset-log.ts";
import type { RowTable, RowTableStore } from "./row-table.ts";

/** What a space needs of its store. */
export interface SpaceStore extends RowTableStore {
  readonly resetLog: ResetLog;
  /** Drops idle keys at the time of a call, which comes from `clock`. */
  reclaim(now: TimeCell, clock: Clock): void;
  /** Drops a few idle keys, and sets in its capacity when to do so again. */
  sweepStep(): void;
  /** Lets an empty table go. */
  removeTable(table: RowTable): void;
}
