import type { Clock } from "../../core/clock.ts";
import { type Maybe, mapMaybeAsync } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { ReservationKeeper } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { SpaceCall } from "../choosing/space.ts";
import type { Kind } from "../kinds.ts";
import { changed, delayed, linesBefore, tellBehind } from "../waiting/behind.ts";
import type { Request } from "./request.ts";

/** How a limiter asks its store: at once in this process, by a message elsewhere. All else is the same for both. */
export abstract class Asker {
  abstract readonly kind: Kind;
  /** What keeps reservations for other processes. */
  readonly keeper: ReservationKeeper | undefined = undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Applies a verb to the calls of a request, and says what came of it. `taken` has one receipt for each call. */
  ask(verb: Verb, request: Request, taken?: readonly Taken[]): Maybe<Report> {
    const { route, keys, now } = request;
    if (!route.someWait) return this.askInTurn(verb, request, taken);
    const { takes, refunds } = VERBS[verb];
    if (takes === "if all conform" && request.costsSomething) {
      request.readTime(this.#clock);
      const before = linesBefore(route, keys, now[0]!);
      if (before.length > 0) return tellBehind(before, this, request, "others-waiting", this.stateOf(request));
    }
    return mapMaybeAsync(this.askInTurn(verb, request, taken), (report) => {
      if (refunds) changed(route, keys);
      if (takes === "always" && this.kind === "sync") delayed(route, keys, now[0]!);
      return report;
    });
  }

  /** Works like `ask`, for a call whose turn it is: other calls may wait for its keys. */
  askInTurn(verb: Verb, request: Request, taken?: readonly Taken[]): Maybe<Report> {
    request.readTime(this.#clock);
    if (request.deniedBy === undefined || VERBS[verb].takes === "never") return this.askStore(verb, request, taken);
    // A limits function denied the call. The store is not asked.
    const { report } = request;
    report.clear();
    report.admitted = false;
    return report;
  }

  protected abstract askStore(verb: Verb, request: Request, taken: readonly Taken[] | undefined): Maybe<Report>;

  /**
   * How the keys of a call are, with their blocks, if the store can say so at once: for a call that is denied anyway.
   */
  abstract stateOf(request: Request): Report | undefined;

  /** Reports on a key as it is now, as `explain` does. `false` if only the store itself can. */
  abstract look(call: SpaceCall, now: TimeCell, report: Report): boolean;

  /** How long to ask again after the time that a denial told, if a call was denied so many times in a row. */
  abstract jitterUs(waitUs: number, denials: number): number;
}
