import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { LimiterContext } from "../../../core/store.ts";
import type { Taken } from "../../../core/taken.ts";
import type { Verb } from "../../../core/verbs.ts";

/** What a failure policy counts in this process for one plan. */
export interface QuotaState {
  drop(key: string): void;
  clear(): void;
  watchSweeps?(): void;
  release(): void;
}

/** A key of a quota state, and the costs of a call. */
export interface QuotaCall {
  readonly quotaState: QuotaState;
  readonly key: string;
  /** One checked cost per limit. */
  readonly costs: readonly number[];
}

/** Decides calls while the server is unavailable. */
export interface FailurePolicy {
  /**
   * Opens the quota state of a plan. With limits chosen per call it never throws for a plan that it cannot count: it
   * denies the calls of that plan while the server is unavailable.
   *
   * @throws TollgateError `ERR_OPTION` for fixed limits that it cannot count.
   */
  open(plan: Plan, context: LimiterContext): QuotaState;
  /** A `refund` returns only units that this policy took, by `taken`. Other units belong to the server. */
  decide(verb: Verb, calls: readonly QuotaCall[], nowUs: number, taken?: readonly Taken[]): Report;
}

/** The retry hint of a denial without the server. */
export const RETRY_HINT_US = 1_000_000;

/** A quota state that counts nothing. */
export const NO_QUOTA_STATE: QuotaState = { drop() {}, clear() {}, release() {} };

/** The report of a call that is not counted. */
export function uncounted(admitted: boolean): Report {
  const report = new Report();
  report.admitted = admitted;
  report.unavailableForUs = RETRY_HINT_US;
  return report;
}
