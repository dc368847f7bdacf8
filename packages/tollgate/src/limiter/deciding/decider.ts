import { isPromise } from "../../core/checks.ts";
import { type Clock, preciseMs } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { mayHaveRun } from "../../core/errors.ts";
import { lostError } from "../../core/lost-call.ts";
import { type Maybe, withFailure } from "../../core/maybe-async.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import type { Route } from "../choosing/route.ts";
import { Selected } from "../choosing/selected.ts";
import type { Kind } from "../kinds.ts";
import { type Receipt, receiptOfTake } from "../reserving/receipt.ts";
import { DecidedCall, type ObservedVerb } from "../watching/decided-call.ts";
import type { Watch } from "../watching/watch.ts";
import type { Asker } from "./asker.ts";
import { decisionOf, denyByLimits, remainingOf } from "./decision-of.ts";
import { type Read, readDecision } from "./read.ts";
import { Request } from "./request.ts";

/** What decides the calls of a limiter. */
export interface DeciderParts {
  readonly kind: Kind;
  readonly name: string;
  readonly clock: Clock;
  readonly asker: Asker;
  readonly watch: Watch;
  /** What corrects its decisions: itself, unless it is the limiter of a rule. */
  readonly correctedBy?: object | undefined;
  /** Whether a correction throws that a store elsewhere does not carry out. Without this it is dropped. */
  readonly lostCorrections?: "throw" | undefined;
}

/** A call that was not chosen to be timed. */
const NOT_TIMED = -1;

/**
 * Decides calls for keys and limits that are chosen already: checks the cost, asks the store, tells the watchers, and
 * makes the result.
 */
export class Decider {
  readonly kind: Kind;
  readonly name: string;
  readonly clock: Clock;
  readonly asker: Asker;
  readonly watch: Watch;
  readonly correctedBy: object;
  readonly #throwsLost: boolean;
  /** The time of the current `allow`. */
  readonly now: TimeCell = createTimeCell();
  /** Memory for calls over a store of this process. A call removes it while it decides: see `Request`. */
  #request: Request | undefined = undefined;

  constructor(parts: DeciderParts) {
    this.kind = parts.kind;
    this.name = parts.name;
    this.clock = parts.clock;
    this.asker = parts.asker;
    this.watch = parts.watch;
    this.correctedBy = parts.correctedBy ?? this;
    this.#throwsLost = parts.lostCorrections === "throw";
  }

  /** Notes when a call begins, before its key function, if it is chosen to be timed. */
  beginTiming(selected: Selected): void {
    if (!this.watch.times) selected.begunMs = undefined;
    else selected.begunMs = this.#draws(this.watch) ? preciseMs() : NOT_TIMED;
  }

  /** Decides a call for keys and limits that are chosen. @throws TollgateError `ERR_COST`, before anything changes. */
  decide<T>(name: ObservedVerb, verb: Verb, selected: Selected, cost: Cost | undefined, read: Read<T>): Maybe<T> {
    const request = this.#takeRequest();
    request.set(selected, selected.costOf(cost));
    return this.decideRequest(name, verb, request, read);
  }

  /** Works like `decide`, for a request that is checked. */
  decideRequest<T>(
    name: ObservedVerb,
    verb: Verb,
    request: Request,
    read: Read<T>,
    taken?: readonly Taken[],
  ): Maybe<T> {
    request.verb = verb;
    request.observedAs = name;
    const isTimed = name !== undefined && verb === "take";
    request.begunMs = isTimed ? this.begunMs(request.route, request.begunMs) : undefined;
    const report = this.asker.ask(verb, request, taken);
    if (isPromise(report)) return report.then((known) => this.conclude(request, known, read));
    const result = this.conclude(request, report, read);
    // That of a batch has a time of its own.
    if (request.atUs === undefined) this.#request = request;
    return result;
  }

  /** Chooses the memory of a request. It comes back when a store of this process has decided. */
  #takeRequest(): Request {
    const request = this.#request ?? new Request();
    this.#request = undefined;
    return request;
  }

  /** The decision on a request that was reported. */
  decisionOn(request: Request, report: Report): Decision {
    const { verb, deniedBy, route } = request;
    if (deniedBy !== undefined && VERBS[verb].takes !== "never") return denyByLimits(deniedBy);
    return decisionOf(this.#nameOf(route), route, report, receiptOfTake(this, request, report));
  }

  /** Charges these counts, one for each limit, as an addition to a decision. */
  chargeCounts(selected: Selected, counts: readonly number[], decision: Decision): Maybe<Decision> {
    const request = this.#takeRequest().setCounts(selected, selected.route.costOf(counts), counts);
    return this.decideRequest("correction", "charge", request, readDecision, takenBy(decision, request));
  }

  /** Gives back, or renews, these counts of what a receipt says. */
  correct(verb: "refund" | "renew", receipt: Receipt, counts: readonly number[]): Maybe<Report> {
    const { route, keys, taken } = receipt;
    if (verb === "refund") receipt.give(counts);
    const selected = new Selected([...keys], [], route);
    const request = this.#takeRequest().setCounts(selected, 0, counts);
    const failed = (error: unknown): never => {
      // What may have been given back is not given back again.
      if (verb === "refund" && !mayHaveRun(error)) receipt.keep(counts);
      throw error;
    };
    const readReport: Read<Report> = (_limiter, _request, report) => report;
    return withFailure(() => this.decideRequest(undefined, verb, request, readReport, taken), failed);
  }

  /** All that watch a call: those of its keys' limiters, and of the combinations and domains that it came through. */
  eachWatch(
    { route: { owners }, watches }: Pick<Selected, "route" | "watches">,
    see: (watch: Watch, from: number, until: number, owner?: string) => void,
  ): void {
    for (const { watch, from, until } of watches) see(watch, from, until);
    for (let i = 0; i < owners.length; i += 1) see(owners[i]!.watch, i, i + 1, owners[i]!.name);
  }

  /** When a call began that was chosen to be timed: before its key function, unless that is called apart. */
  begunMs({ owners }: Route, begunMs: number | undefined): number | undefined {
    if (begunMs !== undefined) return begunMs === NOT_TIMED ? undefined : begunMs;
    for (let i = 0; i < owners.length; i += 1) if (this.#draws(owners[i]!.watch)) return preciseMs();
    return undefined;
  }

  /** Every call over a store elsewhere is timed. */
  #draws(watch: Watch): boolean {
    return watch.times && (this.asker.kind === "async" || watch.drawsTime());
  }

  /** The only place at which a decision ends: the watchers are told, and the result is made. */
  conclude<T>(request: Request, report: Report, read: Read<T>): T {
    const { route, verb, watches, observedAs } = request;
    const isSeen =
      (watches.length > 0 || route.isWatched) && (observedAs !== undefined || report.degraded !== undefined);
    const result = isSeen ? this.#tell(request, report, read) : read(this, request, report);
    if (report.lost === undefined || !this.#throwsLost) return result;
    if (observedAs === "correction" || VERBS[verb].refunds) throw lostError(report.lost);
    return result;
  }

  #tell<T>(request: Request, report: Report, read: Read<T>): T {
    const { route, observedAs, keys, cost, begunMs } = request;
    const call = new DecidedCall(observedAs, this.#nameOf(route), keys, cost, report, () =>
      this.decisionOn(request, report),
    );
    // What a limits function denied has no entry.
    if (route.limits.length === 1 && route.enforcesAll && report.hasEntries && report.hasEntriesAlone)
      call.decidedBy(route.limits[0]!, remainingOf(route.limits[0]!, 0, report));
    const result = read(this, request, report, call);
    this.eachWatch(request, (watch, from, until, owner) => watch.tell(call, from, until, owner));
    if (begunMs !== undefined) {
      const elapsedMs = preciseMs() - begunMs;
      const isChosen = this.asker.kind === "sync";
      this.eachWatch(request, (watch) => watch.timed(call, elapsedMs, isChosen));
    }
    return result;
  }

  /** The limiter that decides a call: in a domain that of the rule, where only one counts it. */
  #nameOf({ owners }: Route): string {
    return owners.length === 1 ? owners[0]!.name : this.name;
  }

  /** A call has waited for its turn. */
  waited(selected: Selected, us: number): void {
    this.eachWatch(selected, (watch) => watch.waited(us));
  }

  /** A wait has ended with a decision. */
  ended(selected: Selected, cost: Cost, decision: Decision): void {
    const { route, keys } = selected;
    if (selected.watches.length === 0 && !route.isWatched) return;
    const outcome = { admitted: decision.allowed, degraded: decision.degraded };
    const call = new DecidedCall("wait", this.#nameOf(route), keys, cost, outcome, () => decision);
    this.eachWatch(selected, (watch, ...place) => watch.tell(call, ...place));
  }
}

/** A charge that adds to a decision without the store is made where that was decided. */
function takenBy({ degraded }: Decision, { route }: Request): readonly Taken[] | undefined {
  if (degraded === undefined) return undefined;
  return route.spaces.map(() => ({ where: "own", degraded, resets: Number.POSITIVE_INFINITY, untilUs: [] }));
}
