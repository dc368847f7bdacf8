import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LimiterContext, TakenFrom, Verb } from "../../../core/store.ts";

/** One plan's part of a failure policy. */
export interface Stand {
  /** Forgets a key, or all, as far as they are kept in this process. */
  drop(key: string): void;
  clear(): void;
  release(): void;
}

/** A key in a stand, and what the call costs there. */
export interface StandCall {
  readonly stand: Stand;
  readonly key: string;
  /** One checked cost per limit. */
  readonly costs: readonly number[];
}

/** Decides without the server. */
export interface FailurePolicy {
  /**
   * Never throws for a plan that it cannot keep where limits are chosen per call: its calls are denied while the server cannot be asked.
   *
   * @throws TollgateError `ERR_OPTION` for fixed limits that it cannot keep.
   */
  open(plan: Plan, host: LimiterContext): Stand;
  /** A `refund` reaches only units that this policy took, as `takenFrom` tells: others are the server's, or of unknown origin. */
  decide(verb: Verb, calls: readonly StandCall[], nowUs: number, takenFrom?: TakenFrom): Report;
}

/** When asking again makes sense after a denial without the server. */
export const ASK_AGAIN_US = 1_000_000;

/** For stands that count nothing. */
export const NO_STAND: Stand = { drop() {}, clear() {}, release() {} };

/** What is said of a call that is counted nowhere. */
export function uncounted(admitted: boolean): Report {
  const report = new Report();
  report.admitted = admitted;
  report.unavailableForUs = ASK_AGAIN_US;
  return report;
}
