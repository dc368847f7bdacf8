import type { Clock } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Block, Decision, LimitStatus } from "../core/decision.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Observer } from "../core/observer.ts";
import type { Report } from "../core/report.ts";
import type { TakenFrom } from "../core/store.ts";
import type { Verb } from "../core/verbs.ts";
import type { AsyncHandle } from "./async-limiter.ts";
import {
  type CheckedRequest,
  choiceFor,
  keyChoiceFor,
  type ReadDecided,
  requestEverywhere,
  requestFor,
  requestOf,
  requestWith,
} from "./call.ts";
import type { Choice } from "./choice.ts";
import { ChosenPlaces } from "./chosen-places.ts";
import { decide, denyByLimits } from "./decide.ts";
import { limitsOf, plansOf } from "./entries.ts";
import { countingStatuses, explainLimits } from "./explain.ts";
import type { TakingPlaces } from "./for-adapters.ts";
import { ChoiceHandle, type ChoiceVerbs, type Result } from "./handle.ts";
import { type HeldPlaces, heldPlacesOf } from "./held-places.ts";
import { LastingVerbs } from "./lasting-verbs.ts";
import type { Handle } from "./limiter.ts";
import { markLimiters } from "./limiter-mark.ts";
import type { Lines } from "./lines.ts";
import { chargeName, type ObservedVerb, observationOf } from "./notify-decision.ts";
import type { ObserveOptions, Observers } from "./observers.ts";
import { keepingPlaces, noteDecided, withoutPlaces } from "./places.ts";
import { type AsyncReservation, AsyncReserved, type Term } from "./reservation.ts";
import type { Selection, Source } from "./selection.ts";
import type { CountedKey, PlannedSpace } from "./space-list.ts";

/** The parts of a limiter over any store. */
export interface StoreLimiterParts<Input, Space> {
  readonly name: string;
  readonly keyed: boolean;
  readonly selection: Selection<Input, Space & PlannedSpace>;
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly observers: Observers;
  /** Where calls wait, one for each key of a call. */
  readonly lines: readonly Lines<Space & PlannedSpace>[];
  /** Ends sweep notifications. */
  readonly close: () => void;
}

/** A handle by the kind of its store. */
type HandleOf<Kind extends "sync" | "async"> = Kind extends "sync" ? Handle : AsyncHandle;

/** Makes the checked request of a call; throws for misuse, before anything changes. */
export type MakeRequest<Space> = () => CheckedRequest<Space>;

/**
 * The verbs, written once for synchronous and asynchronous stores. A subclass says how its store is asked, and adds the
 * shortcuts of its kind.
 */
export abstract class StoreLimiter<Kind extends "sync" | "async", Input, Space extends PlannedSpace>
  extends LastingVerbs<Kind, Input, Space>
  implements ChoiceVerbs<Kind, Space>, TakingPlaces<Input>
{
  abstract readonly kind: Kind;
  readonly name: string;
  /** Whether it has a key function, or all parts of a combination have one: adapters need it. */
  readonly keyed: boolean;
  readonly selection: Selection<Input, Space>;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly observers: Observers;
  readonly mayTakePlaces: boolean;
  readonly #close: () => void;

  constructor({ name, keyed, selection, sources, clock, observers, close }: StoreLimiterParts<Input, Space>) {
    super();
    this.name = name;
    this.keyed = keyed;
    this.selection = selection;
    this.clock = clock;
    this.sources = sources;
    this.observers = observers;
    this.mayTakePlaces = selection.fixed?.list().takesPlaces ?? true;
    this.#close = close;
  }

  static {
    markLimiters(StoreLimiter.prototype);
  }

  /** Applies a verb to the calls of a request, and reads the result from the report. */
  protected abstract ask<T>(
    verb: Verb,
    make: MakeRequest<Space>,
    read: (report: Report, request: CheckedRequest<Space>) => T,
    takenFrom?: TakenFrom,
  ): Result<Kind, T>;

  allow(input: Input, cost: Cost = 1): Result<Kind, boolean> {
    return this.allowRequest(() => withoutPlaces("allow", this.request(input, cost)), cost);
  }

  consume(input: Input, cost: Cost = 1): Result<Kind, Decision> {
    return this.decided("consume", "take", () => withoutPlaces("consume", this.request(input, cost)), cost);
  }

  peek(input: Input, cost: Cost = 1): Result<Kind, Decision> {
    return this.#peek(() => this.request(input, cost));
  }

  explain(input: Input, cost: Cost = 1): Result<Kind, LimitStatus[]> {
    return this.#explain(() => this.request(input, cost));
  }

  charge(input: Input, cost: Cost, decision?: Decision): Result<Kind, Decision> {
    return this.#charge(() => this.request(input, cost), cost, decision);
  }

  refund(input: Input, cost: Cost, decision?: Decision): Result<Kind, void> {
    return this.#refund(() => this.request(input, cost), cost, decision);
  }

  reset(input: Input): Result<Kind, void> {
    return this.resetKeys(() => choiceFor(this.selection, input).keysToForget());
  }

  /** Works like `consume`, for a request that the caller made. `cost` is for observers. */
  consumeRequest<T>(make: MakeRequest<Space>, cost: Cost, read: ReadDecided<Space, T>): Result<Kind, T> {
    return this.ask("take", make, (report, made) => read(this.#decide("consume", report, made, cost), report, made));
  }

  allowChosen(choice: Choice<Space>, cost: Cost): Result<Kind, boolean> {
    return this.allowRequest(() => withoutPlaces("allow", this.requestOf(choice, cost)), cost);
  }

  consumeChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision> {
    return this.decided("consume", "take", () => withoutPlaces("consume", this.requestOf(choice, cost)), cost);
  }

  peekChosen(choice: Choice<Space>, cost: Cost): Result<Kind, Decision> {
    return this.#peek(() => this.requestOf(choice, cost));
  }

  explainChosen(choice: Choice<Space>, cost: Cost): Result<Kind, LimitStatus[]> {
    if (choice.chosen[0]?.lacksLimits !== true) return this.#explain(() => this.requestOf(choice, cost));
    return this.#explain(() => requestEverywhere(choice, cost), countingStatuses);
  }

  chargeChosen(choice: Choice<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, Decision> {
    return this.#charge(() => this.requestOf(choice, cost), cost, decision);
  }

  refundChosen(choice: Choice<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, void> {
    return this.#refund(() => this.requestOf(choice, cost), cost, decision);
  }

  /** The places that a decision took under the limits of a choice. */
  protected holdPlaces(choice: Choice<Space>, decision: Decision, cost: Cost): HeldPlaces | undefined {
    if (!this.selection.listOf(choice).takesPlaces) return undefined;
    const keeper = new ChosenPlaces(this.clock, (verb, costs, read, takenFrom) =>
      this.ask(verb, () => requestWith(this.selection.listOf(choice), choice, costs), read, takenFrom),
    );
    const held = heldPlacesOf(keeper, decision, cost);
    if (held !== undefined) this.observers.noteHeld(held);
    return held;
  }

  protected override acquired(
    choice: Choice<Space>,
    cost: Cost,
    decision: Decision,
    term: Term | undefined,
  ): AsyncReservation {
    const places = this.holdPlaces(choice, decision, cost);
    return new AsyncReserved(new ChoiceHandle<Kind, Space>(choice, this), cost, decision, term, places);
  }

  handle(input: Input): HandleOf<Kind> {
    return this.handleOf(choiceFor(this.selection, input).kept());
  }

  byKey(key: Key, limits?: readonly Limit[]): HandleOf<Kind> {
    return this.handleOf(keyChoiceFor(this.selection, key, limits));
  }

  protected abstract handleOf(choice: Choice<Space>): HandleOf<Kind>;

  observe(observer: Observer, options?: ObserveOptions): () => void {
    return this.observers.add(observer, options);
  }

  resetChosen(choice: Choice<Space>): Result<Kind, void> {
    return this.resetKeys(() => choice.keysToForget());
  }

  /** What loggers write of a limiter by accident: its other properties refer to each other. */
  toJSON(): Pick<this, "name" | "kind"> {
    return { name: this.name, kind: this.kind };
  }

  protected allowRequest(make: MakeRequest<Space>, cost: Cost): Result<Kind, boolean> {
    return this.ask("take", make, (report, request) => this.readAllowed(report, request, cost));
  }

  /** Forgets these keys in their spaces. */
  protected abstract resetKeys(find: () => readonly CountedKey<Space>[]): Result<Kind, void>;

  /** The answer of an `allow`. A decision is made only for observers, and what they write into it changes no answer. */
  protected readAllowed(report: Report, request: CheckedRequest<Space>, cost: Cost): boolean {
    if (this.observers.ofCalls !== undefined) this.#decide("allow", report, request, cost);
    return report.admitted;
  }

  protected request(input: Input, cost: Cost): CheckedRequest<Space> {
    this.selection.maintain();
    return requestFor(this.selection, input, cost);
  }

  protected notifyDegraded({ degraded }: Report): void {
    if (degraded !== undefined) this.observers.ofCalls?.({ type: "degradation", limiter: this.name, cause: degraded });
  }

  protected notifyBlock(keys: readonly string[], block: Block | undefined): void {
    if (this.observers.has("block"))
      this.observers.notify({ type: "block", limiter: this.name, keys: [...keys], block });
  }

  /** An observer may have come. */
  protected watchSweeps(): void {
    if (this.observers.has("sweep")) for (const space of this.selection.spaces()) space.watchSweeps?.();
  }

  protected end(): void {
    this.#close();
    this.selection.release();
  }

  #peek(make: MakeRequest<Space>): Result<Kind, Decision> {
    return this.ask("peek", make, (report, request) => this.#decisionOn(report, request));
  }

  #explain(
    make: MakeRequest<Space>,
    select: (statuses: LimitStatus[], calls: CheckedRequest<Space>["calls"], report: Report) => LimitStatus[] = (all) =>
      all,
  ): Result<Kind, LimitStatus[]> {
    return this.ask("explain", make, (report, { calls }) => select(explainLimits(calls, report), calls, report));
  }

  #charge(make: MakeRequest<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, Decision> {
    return this.decided(chargeName(decision), "charge", () => keepingPlaces(make(), cost, decision), cost, decision);
  }

  #refund(make: MakeRequest<Space>, cost: Cost, decision: Decision | undefined): Result<Kind, void> {
    return this.ask<void>(
      "refund",
      () => keepingPlaces(make(), cost, decision),
      () => {},
      decision,
    );
  }

  protected decided(
    name: Exclude<ObservedVerb, undefined>,
    verb: Verb,
    make: MakeRequest<Space>,
    cost: Cost,
    takenFrom?: TakenFrom,
  ): Result<Kind, Decision> {
    return this.ask(verb, make, (report, request) => this.#decide(name, report, request, cost), takenFrom);
  }

  #decide(
    name: Exclude<ObservedVerb, undefined>,
    report: Report,
    request: CheckedRequest<Space>,
    cost: Cost,
  ): Decision {
    const decision = this.#decisionOn(report, request);
    this.observers.ofCalls?.(observationOf(name, request.keys, cost, decision));
    return decision;
  }

  #decisionOn(report: Report, { calls, deniedBy }: CheckedRequest<Space>): Decision {
    if (deniedBy !== undefined) return denyByLimits(deniedBy);
    const plans = plansOf(calls);
    const decision = decide(this.name, plans, limitsOf(plans, report), report);
    if (report.decidedUs !== undefined) noteDecided(decision, report.decidedUs);
    return decision;
  }

  protected requestOf(choice: Choice<Space>, cost: Cost): CheckedRequest<Space> {
    this.selection.maintain();
    return requestOf(this.selection, choice, cost);
  }
}
