import type { Report } from "../../../core/report.ts";
import type { KeyCall } from "./work.ts";

/** Who hears how calls end, beside their callers, in the order in which the server decided them. */
export interface CallEnd {
  /** How often units have been given back or charged so far: a denial that was asked for before is not to be remembered. */
  readonly changes: number;
  /** The server admitted calls. */
  admitted(call: KeyCall): void;
  /** The server denied a call at this moment or later; it was asked for when there had been so many changes. */
  denied(call: KeyCall, report: Report, nowUs: number, changes: number): void;
  /** Units are given back or charged while this is under way. */
  changing<T>(calls: readonly KeyCall[], work: Promise<T>): Promise<T>;
  /** Decides one call that the server could not be asked about, or throws what its caller is to hear. */
  decideWithout(error: unknown, call: KeyCall, nowUs: number): boolean;
}
