import type { Maybe } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { SpaceCall } from "../choosing/space.ts";
import type { Kind } from "../kinds.ts";
import type { Request } from "./request.ts";

/** How a limiter asks its store: at once in this process, by a message elsewhere. All else is the same for both. */
export interface Asker {
  readonly kind: Kind;
  /** Applies a verb to the calls of a request, and says what came of it. `taken` has one receipt for each call. */
  ask(verb: Verb, request: Request, taken?: readonly Taken[]): Maybe<Report>;
  /** Works like `ask`, for a call whose turn it is: other calls may wait for its keys. */
  askInTurn(verb: Verb, request: Request, taken?: readonly Taken[]): Maybe<Report>;
  /**
   * How the keys of a call are, with their blocks, if the store can say so at once: for a call that is denied anyway.
   */
  stateOf(request: Request): Report | undefined;
  /** Reports on a key as it is now, as `explain` does. `false` if only the store itself can. */
  look(call: SpaceCall, now: TimeCell, report: Report): boolean;
  /** How long to ask again after the time that a denial told, if a call was denied so many times in a row. */
  jitterUs(waitUs: number, denials: number): number;
}

/** The report on a call that a limits function denied. The store was not asked. */
export function deniedByLimits(report: Report): Report {
  report.clear();
  report.admitted = false;
  return report;
}
