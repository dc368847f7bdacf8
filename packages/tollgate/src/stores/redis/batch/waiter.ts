import { rejected } from "../../../core/maybe-async.ts";
import { Report } from "../../../core/report.ts";
import type { LeaseGrant } from "../script/lease.ts";

/** Decides without the server, or throws the error that the caller gets. */
export type DecideWithout = (error: unknown) => Report;

/**
 * A caller that waits for its answer: for the report, for what `read` makes of it, or for yes or no. It is small,
 * because a flood creates many.
 */
export interface Waiter {
  readonly wantsReport: boolean;
  readonly read?: ((report: Report) => unknown) | undefined;
  /** Resolves the caller's promise. */
  resolve(answer: unknown): void;
  readonly without: DecideWithout;
}

/**
 * The node that asked for a lease. It is answered at once, before the callers of later calls resume: they may ask what
 * it holds.
 */
export interface LeaseWaiter {
  readonly wantsReport: true;
  /** How many of its calls were admitted, the figures after that, and the new lease. */
  readonly granted: (admitted: number, report: Report, grant: LeaseGrant) => void;
  readonly failed: (error: unknown) => void;
}

/** Answers a caller. Identical calls share `report`: they only read it. */
export function answer(waiter: Waiter, admitted: boolean, report: Report | undefined): void {
  if (!waiter.wantsReport) waiter.resolve(admitted);
  else {
    const told = report ?? withoutEntries(admitted);
    waiter.resolve(waiter.read === undefined ? told : waiter.read(told));
  }
}

/** Answers a caller on whose call the server did not decide. */
export function answerWithout(waiter: Waiter | LeaseWaiter, error: unknown): void {
  if ("failed" in waiter) {
    waiter.failed(error);
    return;
  }
  try {
    const report = waiter.without(error);
    answer(waiter, report.admitted, report);
  } catch (thrown) {
    waiter.resolve(rejected(thrown));
  }
}

/** The report of a verb without figures. */
function withoutEntries(admitted: boolean): Report {
  const report = new Report();
  report.admitted = admitted;
  return report;
}
