import type { LeaseStatus } from "../../core/lease-status.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";
import type { RedisSpace } from "../redis/redis-space.ts";

/** One plan's keys, of which this node knows enough to decide many calls alone. */
export interface DecidingSpace extends AsyncSpace {
  /** The same keys on the server. */
  readonly redis: RedisSpace;
  /** Takes as `consume` does; `undefined` if the server has to be asked for this call alone. */
  take(key: string, costs: readonly number[], now: TimeCell): Promise<Report> | undefined;
  /** Takes a charge without the server; `undefined` if the server has to be asked. */
  charge(key: string, costs: readonly number[], now: TimeCell): Report | undefined;
  /** Tells the server what was admitted here, before it is asked for something else. */
  settle(key: string): void;
  /** The server was asked for another verb than a take. `work` ends with its answer. */
  asked(key: string, verb: VerbTraits, costs: readonly number[], now: TimeCell, work: Promise<unknown>): void;
  /** The server's report, with what this node knows better. */
  restated(key: string, costs: readonly number[], report: Report): Report;
  /** Where each limit of a key stands at this node; `undefined` if nothing is leased. */
  leasesOf(key: string): readonly LeaseStatus[] | undefined;
  /** Gives back what this node holds of a key, and tells the server what was admitted. */
  giveBack(key: string): void;
  giveBackAll(): void;
}
