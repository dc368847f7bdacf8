import type { ReportedBlock } from "./blocks.ts";
import type { LeaseStatus } from "./lease-status.ts";
import type { Limit } from "./limits/limit.ts";
import type { LostCall } from "./lost-call.ts";

/** A number of units that no store writes. */
const NOT_WRITTEN = -1;

/**
 * What a store says of one call: numbers alone, with one entry per limit, in the order of the call's plans and of their
 * limits. Every store fills the same report; `limiter/decide.ts` turns it into a decision.
 *
 * @example
 * ```ts
 * import { perMinute, perSecond } from "tollgate";
 * import { createPlan, createTimeCell, PlanVerbs, Report } from "tollgate/store";
 *
 * const verbs = new PlanVerbs(createPlan("api", "api", [perSecond(2), perMinute(60)]));
 * const report = new Report();
 * report.admitted = verbs.apply("take", undefined, [2, 2], createTimeCell(0), report, 0);
 * console.log(report.admitted, report.conforms, report.used); // true [ true, true ] [ 2, 2 ]
 * console.log(report.waitUs); // [ 1000000, 0 ]
 * ```
 */
export class Report {
  /** Whether every enforcing limit conformed before the call. */
  admitted = true;
  /** Why the store was unavailable. Then the failure policy decided `admitted`, and there may be no entries. */
  degraded: string | undefined = undefined;
  /** The call, if the store did not do what it should have done there. */
  lost: LostCall | undefined = undefined;
  /** Set for a key for which the store had no slot: it shares an overflow bucket, or is denied. */
  overflow: "shared" | "denied" | undefined = undefined;
  /** The same for each call, if there are several. */
  readonly overflowOf: ("shared" | "denied" | undefined)[] = [];
  /**
   * How many resets the store had made when it took the units, for their receipt; the moment of the decision, if a
   * server supplies the time. `undefined` if the store knows neither.
   */
  resets: number | undefined = undefined;
  /** The same for each call, if there are several. */
  readonly resetsOf: (number | undefined)[] = [];
  /** The retry hint of a failure policy that denies without entries, in microseconds. */
  unavailableForUs = 0;
  /** The block of one of the keys that is in force after the call. */
  block: ReportedBlock | undefined = undefined;
  /** Why a call was denied whatever its counts, because of the calls that wait for its key. */
  line: "others-waiting" | "queue-full" | undefined = undefined;
  /** Whether each limit conformed before the call. */
  readonly conforms: boolean[];
  /** Whole units that count after the call, rounded up; above the capacity in debt. */
  readonly used: number[];
  /** Microseconds until the same cost conforms, from the state after the call; 0 if it does, `Infinity` if never. */
  readonly waitUs: number[];
  /** Whole units that still count at that moment. */
  readonly usedAfterWait: number[];
  /** Microseconds until idle. */
  readonly resetUs: number[];
  /**
   * When places that the call took free themselves, in microseconds since the epoch. A store with a time of its own
   * also says when units of windows leave. What other limits count leaves by `resetUs`. Usually empty.
   */
  readonly untilUs: number[] = [];
  /** Whether a limit does not conform because the store had no slot for the key; empty if it had one. */
  readonly lacksCapacity: boolean[] = [];

  /** The limits that decided in place of the call's own, where a key keeps its first numbers; usually empty. */
  readonly keptLimits: (Limit | undefined)[] = [];
  /** Whether the key is counted under other numbers now, of which an entry is a view; usually empty. */
  readonly isView: boolean[] = [];
  /** What a store keeps in place of the receipt that its caller has read; empty for nothing. The call did nothing. */
  receipt: string | undefined = undefined;
  /** Where each limit stands at this node; set by an `explain` of a store with leases. */
  leases: readonly LeaseStatus[] | undefined = undefined;

  /** `entries` is how many a report has that is not filled again: a list that grows has room for 16 more. */
  constructor(entries = 0) {
    this.conforms = entries === 0 ? [] : new Array<boolean>(entries);
    this.used = entries === 0 ? [] : new Array<number>(entries);
    this.waitUs = entries === 0 ? [] : new Array<number>(entries);
    this.usedAfterWait = entries === 0 ? [] : new Array<number>(entries);
    this.resetUs = entries === 0 ? [] : new Array<number>(entries);
  }

  /** Whether there are entries. An unavailable store may write none. */
  get hasEntries(): boolean {
    return this.used.length > 0 && this.used[0] !== NOT_WRITTEN;
  }

  /** Whether there is nothing but entries: the next call may fill it after `forgetEntries` instead of `clear`. */
  get hasEntriesAlone(): boolean {
    if (this.degraded !== undefined || this.overflow !== undefined || this.block !== undefined) return false;
    return this.keptLimits.length === 0 && this.untilUs.length === 0 && this.lacksCapacity.length === 0;
  }

  /** Adds entries of another report. */
  addEntries(from: Report, start: number, end: number): void {
    for (let entry = start; entry < end; entry += 1) {
      const at = this.used.length;
      this.conforms.push(from.conforms[entry]!);
      this.used.push(from.used[entry]!);
      this.waitUs.push(from.waitUs[entry]!);
      this.usedAfterWait.push(from.usedAfterWait[entry]!);
      this.resetUs.push(from.resetUs[entry]!);
      if (from.lacksCapacity[entry] === true) this.lacksCapacity[at] = true;
      if (from.keptLimits[entry] !== undefined) this.keptLimits[at] = from.keptLimits[entry];
    }
  }

  /** Adds the entry of a limit under which nothing counts. */
  addIdleEntry(): void {
    this.conforms.push(true);
    for (const figures of [this.used, this.waitUs, this.usedAfterWait, this.resetUs]) figures.push(0);
  }

  /** Prepares entries for another verb of the same call. */
  forgetViews(): void {
    this.isView.length = 0;
    this.keptLimits.length = 0;
  }

  /** The store writes the entries again, or none. */
  forgetEntries(): void {
    if (this.used.length > 0) this.used[0] = NOT_WRITTEN;
  }

  /** Prepares the report for another call. The entries' memory is kept, and the store writes them again. */
  clear(): void {
    this.forgetEntries();
    this.admitted = true;
    this.degraded = undefined;
    this.lost = undefined;
    this.overflow = undefined;
    if (this.overflowOf.length > 0) this.overflowOf.length = 0;
    this.resets = undefined;
    if (this.resetsOf.length > 0) this.resetsOf.length = 0;
    this.unavailableForUs = 0;
    this.block = undefined;
    this.line = undefined;
    // Assigning `length` is slow, so it is skipped if the list is already empty.
    if (this.lacksCapacity.length > 0) this.lacksCapacity.length = 0;
    if (this.untilUs.length > 0) this.untilUs.length = 0;
    if (this.isView.length > 0) this.forgetViews();
  }
}
