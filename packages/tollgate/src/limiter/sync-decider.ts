import type { Blocking } from "../algorithms/blocking.ts";
import { countsWhereTaken, transact } from "../algorithms/transact.ts";
import { takePartwise, takesKept } from "../algorithms/transact-partwise.ts";
import { type Clock, readInto } from "../core/clock.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { Observer } from "../core/observer.ts";
import type { SyncSpace, TakenFrom } from "../core/store.ts";
import { VERBS, type Verb } from "../core/verbs.ts";
import type { Choice } from "./choice.ts";
import { allowedByOnly, decide, denyByLimits } from "./decide.ts";
import { hasOtherLimits, limitsOf } from "./entries.ts";
import { notifyDecision, type ObservedVerb } from "./notify-decision.ts";
import { noteDecided, refusePlaces } from "./places.ts";
import { Scratch } from "./scratch.ts";
import type { FixedSelection, Selection } from "./selection.ts";
import type { SpaceList } from "./space-list.ts";

type Fixed<Input> = FixedSelection<Input, SyncSpace>;

/** Decides calls over stores in this process, in memory that calls reuse. */
export class SyncDecider<Input> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #selection: Selection<Input, SyncSpace>;
  readonly #observe: Observer | undefined;
  readonly #blocking: Blocking;
  /** Not 0 while a key of the first store may be blocked. Fixed limits have no other store. */
  readonly #someBlocks: Int32Array;
  /** A call removes its scratch while it decides, because clocks and listeners may call again. */
  #scratch: Scratch | undefined;

  constructor(
    name: string,
    clock: Clock,
    selection: Selection<Input, SyncSpace>,
    observe: Observer | undefined,
    blocking: Blocking,
  ) {
    this.#name = name;
    this.#clock = clock;
    this.#selection = selection;
    this.#observe = observe;
    this.#blocking = blocking;
    this.#someBlocks = blocking.firstSome;
  }

  allow(input: Input, cost: Cost): boolean {
    const scratch = this.#choose(input);
    return this.#allowIn(scratch, scratch.choice, cost);
  }

  decide(input: Input, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    const scratch = this.#choose(input);
    return this.#decideIn(scratch, scratch.choice, name, verb, cost);
  }

  allowChosen(choice: Choice<SyncSpace>, cost: Cost): boolean {
    return this.#allowIn(this.#takeScratch(), choice, cost);
  }

  decideChosen(choice: Choice<SyncSpace>, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    return this.#decideIn(this.#takeScratch(), choice, name, verb, cost);
  }

  /** Works like `decide` for `consume`, if no limit counts places. Otherwise `reserve` gets the choice. */
  consumeOr<T>(input: Input, cost: Cost, reserve: (choice: Choice<SyncSpace>) => T): Decision | T {
    const scratch = this.#choose(input);
    if (!this.#selection.listOf(scratch.choice).takesPlaces) {
      return this.#decideIn(scratch, scratch.choice, "consume", "take", cost);
    }
    const choice = scratch.takeChoice();
    this.#scratch = scratch;
    return reserve(choice);
  }

  /** Works like `decide`, for a key under fixed limits. Nothing is allocated but the decision. */
  decideFixed(fixed: Fixed<Input>, key: string, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    const scratch = this.#takeScratch();
    const list = fixed.list();
    const decision =
      list.blocks || this.#someBlocks[0] !== 0
        ? this.#decideTogether(scratch, list, [key], verb, cost)
        : this.#decideAlone(scratch, list, fixed.space, key, verb, cost);
    this.#scratch = scratch;
    if (this.#observe !== undefined) notifyDecision(this.#observe, this.#name, name, [key], cost, decision);
    return decision;
  }

  /** Works like `allow`, for a key under fixed limits. */
  allowFixed(fixed: Fixed<Input>, key: string, cost: Cost): boolean {
    const scratch = this.#takeScratch();
    const observe = this.#observe;
    const list = fixed.list();
    const mayBlock = list.blocks || this.#someBlocks[0] !== 0;
    let allowed: boolean;
    if (observe === undefined && !mayBlock) allowed = this.#takeAlone(scratch, fixed, key, cost);
    else {
      const decision = mayBlock
        ? this.#decideTogether(scratch, list, [key], "take", cost)
        : this.#decideAlone(scratch, list, fixed.space, key, "take", cost);
      // Observers might change their decision.
      ({ allowed } = decision);
      if (observe !== undefined) notifyDecision(observe, this.#name, "allow", [key], cost, decision);
    }
    this.#scratch = scratch;
    return allowed;
  }

  #takeAlone(scratch: Scratch, fixed: Fixed<Input>, key: string, cost: Cost): boolean {
    const { space } = fixed;
    const { report, now, costs } = scratch;
    scratch.readCosts(fixed.list(), cost);
    readInto(this.#clock, now);
    let allowed = takesKept(space, key, costs, now);
    if (!allowed) {
      report.clear();
      allowed = space.apply("take", key, costs, now, report, 0);
    }
    space.maintain();
    return allowed;
  }

  /** Gives back what a call has taken in the only space of a list. */
  refundIn(list: SpaceList<SyncSpace>, space: SyncSpace, key: string, cost: Cost, takenFrom?: TakenFrom): void {
    const scratch = this.#takeScratch();
    const { report, now, costs } = scratch;
    // A key that has cells counts where it was taken, unless that was in an overflow bucket.
    const isUsual = takenFrom?.overflowed === undefined && list.onlyLimit !== undefined;
    const plain = isUsual && typeof cost === "number" ? cost : undefined;
    if (plain === undefined) scratch.readCosts(list, cost);
    else list.checkPlain(plain);
    readInto(this.#clock, now);
    if (plain !== undefined) {
      if (space.refundKept?.(key, plain, now) === true) {
        this.#scratch = scratch;
        space.maintain();
        return;
      }
      scratch.readCosts(list, plain);
    }
    report.clear();
    const isReached = takenFrom === undefined || countsWhereTaken(space, key, costs, now, takenFrom, report);
    if (isReached) space.apply("refund", key, costs, now, report, 0);
    const { degraded } = report;
    this.#scratch = scratch;
    if (degraded !== undefined) this.#observe?.({ type: "degradation", limiter: this.#name, cause: degraded });
    space.maintain();
  }

  #takeScratch(): Scratch {
    const scratch = this.#scratch;
    if (scratch === undefined) return new Scratch();
    this.#scratch = undefined;
    return scratch;
  }

  #choose(input: Input): Scratch {
    const scratch = this.#takeScratch();
    scratch.choice.clear();
    this.#selection.choose(input, scratch.choice);
    return scratch;
  }

  #allowIn(scratch: Scratch, choice: Choice<SyncSpace>, cost: Cost): boolean {
    this.#selection.maintain();
    const list = this.#selection.listOf(choice);
    if (list.takesPlaces) refusePlaces("allow", list.limits);
    const observe = this.#observe;
    let allowed: boolean;
    if (observe === undefined && choice.deniedBy === undefined && !this.#mayBlock(list))
      allowed = this.#take(scratch, list, choice, cost);
    else {
      const decision = this.#decideOver(scratch, list, choice, "take", cost);
      // Observers might change their decision.
      ({ allowed } = decision);
      if (observe !== undefined) notifyDecision(observe, this.#name, "allow", [...choice.keys], cost, decision);
    }
    this.#scratch = scratch;
    return allowed;
  }

  /** `take` without a decision. */
  #take(scratch: Scratch, list: SpaceList<SyncSpace>, { keys }: Choice<SyncSpace>, cost: Cost): boolean {
    const { report, now, calls } = scratch;
    const { only } = list;
    if (only !== undefined && typeof cost === "number") {
      list.checkPlain(cost);
      readInto(this.#clock, now);
      return only.allow(keys[list.keyIndexes[0]!]!, cost, now);
    }
    scratch.setCalls(list, keys, cost);
    readInto(this.#clock, now);
    if (takePartwise(calls, now)) {
      for (const { space } of calls) space.maintain();
      return true;
    }
    report.clear();
    return transact("take", calls, now, undefined, report).admitted;
  }

  #decideIn(scratch: Scratch, choice: Choice<SyncSpace>, name: ObservedVerb, verb: Verb, cost: Cost): Decision {
    this.#selection.maintain();
    const list = this.#selection.listOf(choice);
    if (list.takesPlaces && name === "consume") refusePlaces(name, list.limits);
    const decision = this.#decideOver(scratch, list, choice, verb, cost);
    // Another call may write other keys into the choice.
    if (this.#observe !== undefined) notifyDecision(this.#observe, this.#name, name, [...choice.keys], cost, decision);
    this.#scratch = scratch;
    return decision;
  }

  #decideOver(
    scratch: Scratch,
    list: SpaceList<SyncSpace>,
    { keys, deniedBy }: Choice<SyncSpace>,
    verb: Verb,
    cost: Cost,
  ): Decision {
    const { only } = list;
    if (only !== undefined && deniedBy === undefined && !(list.takesPlaces || this.#mayBlock(list))) {
      return this.#decideAlone(scratch, list, only, keys[list.keyIndexes[0]!]!, verb, cost);
    }
    if (deniedBy === undefined) return this.#decideTogether(scratch, list, keys, verb, cost);
    scratch.setCalls(list, keys, cost);
    readInto(this.#clock, scratch.now);
    return denyByLimits(deniedBy);
  }

  /** Whether a key may be blocked, or become so. */
  #mayBlock({ blocks }: SpaceList<SyncSpace>): boolean {
    return blocks || this.#blocking.mayBlock;
  }

  #decideTogether(
    scratch: Scratch,
    list: SpaceList<SyncSpace>,
    keys: readonly string[],
    verb: Verb,
    cost: Cost,
  ): Decision {
    const { report, now, calls } = scratch;
    scratch.setCalls(list, keys, cost, VERBS[verb].takes === "always" ? "kept" : "taken");
    readInto(this.#clock, now);
    report.clear();
    if (!this.#mayBlock(list)) transact(verb, calls, now, undefined, report);
    else this.#blocking.transact(verb, { keys, calls, members: list.keyIndexes }, now, undefined, report);
    const limits = hasOtherLimits(report) ? limitsOf(list.plans, report) : list.limits;
    const decision = decide(this.#name, list.plans, limits, report);
    // The moment of a decision identifies the places that it took.
    if (list.takesPlaces) noteDecided(decision, now[0]!);
    return decision;
  }

  #decideAlone(
    scratch: Scratch,
    list: SpaceList<SyncSpace>,
    space: SyncSpace,
    key: string,
    verb: Verb,
    cost: Cost,
  ): Decision {
    const { report, now, costs } = scratch;
    scratch.readCosts(list, cost);
    readInto(this.#clock, now);
    const limit = list.onlyLimit;
    // `charge` takes as `take` does if the cost conforms.
    const isDecided =
      limit !== undefined &&
      (verb === "peek"
        ? space.peekKept?.(key, costs[0]!, now, report)
        : space.consumeKept?.(key, costs[0]!, now, report));
    if (!isDecided) return this.#decideAtLength(scratch, list, space, key, verb);
    const decision = allowedByOnly(space.plan.limiter, list.limits, limit, report);
    space.maintain();
    return decision;
  }

  /** Apart, so that `#decideAlone` stays small enough to inline. */
  #decideAtLength(
    { report, now, costs }: Scratch,
    list: SpaceList<SyncSpace>,
    space: SyncSpace,
    key: string,
    verb: Verb,
  ): Decision {
    report.clear();
    report.admitted =
      verb === "take" && space.consume !== undefined
        ? space.consume(key, costs, now, report)
        : space.apply(verb, key, costs, now, report, 0);
    const limits = hasOtherLimits(report) ? limitsOf(list.plans, report) : list.limits;
    const decision = decide(this.#name, list.plans, limits, report);
    space.maintain();
    return decision;
  }
}
