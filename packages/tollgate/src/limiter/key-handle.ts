import { checkFunction } from "../core/checks.ts";
import { readInto, readUs } from "../core/clock.ts";
import { type Cost, checkCost, copyCost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";
import type { KeyRef } from "../core/key-ref.ts";
import { all, later, type Maybe, mapMaybeAsync, promised, rejected } from "../core/maybe-async.ts";
import type { AsyncSpace, SyncSpace } from "../core/store.ts";
import type { BlockOptions, BlockTime } from "./block-time.ts";
import { blockedUntil, blockKeys, unblockKeys } from "./block-verbs.ts";
import { refusePlaces } from "./choosing/place-costs.ts";
import type { Selected } from "./choosing/selected.ts";
import { distinctCounts } from "./choosing/space.ts";
import { receiptOf } from "./deciding/decided.ts";
import type { Decider } from "./deciding/decider.ts";
import { explainCounting, explainLimits } from "./deciding/explain.ts";
import { readAllowed, readDecision } from "./deciding/read.ts";
import { Request } from "./deciding/request.ts";
import { detachedError, guardMethods } from "./methods.ts";
import { CountedCall } from "./reserving/counted-call.ts";
import {
  type AcquireOptions,
  AwaitedReserved,
  Reserved,
  type ReserveOptions,
  splitOptions,
  termOf,
} from "./reserving/reservation.ts";
import { beginWait } from "./waiting/begin-wait.ts";
import { changed } from "./waiting/behind.ts";
import { DeniedError } from "./waiting/denied-error.ts";
import { type CheckedWait, checkWaitOptions, type RunOptions, type WaitOptions } from "./waiting/wait-options.ts";
import type { WaitEnd } from "./waiting/waiter.ts";

/**
 * The verbs, each where it is done, for keys and limits that are chosen already. Results are promises where the store
 * is elsewhere.
 */
export class KeyHandle {
  readonly #limiter: Decider;
  readonly #selected: Selected;
  /** What a store of this process keeps for the key, if `allow` can ask it directly. */
  readonly #ref: KeyRef | undefined;
  /** Whether `allow` may ask the only space, in a call of a plain number. */
  readonly #isPlain: boolean;

  constructor(limiter: Decider, selected: Selected, ref?: KeyRef) {
    this.#limiter = limiter;
    this.#selected = selected;
    this.#ref = ref;
    const { route, deniedBy, lacksLimits, watches, prices } = selected;
    const isKnown = deniedBy === undefined && lacksLimits === undefined && watches.length + prices.length === 0;
    this.#isPlain = isKnown && route.isPlain && route.only?.allow !== undefined;
  }

  static {
    guardMethods(KeyHandle.prototype, "handle");
  }

  get selected(): Selected {
    return this.#selected;
  }

  allow(this: KeyHandle | undefined, cost?: Cost): Maybe<boolean> {
    if (this === undefined) throw detachedError("handle", "allow");
    const { route } = this.#selected;
    if (this.#isPlain && (cost === undefined || typeof cost === "number") && route.isOpen())
      return this.#allowDirectly(cost ?? 1);
    this.#checkTakes("allow");
    return this.#limiter.decide("allow", "take", this.#selected, cost, readAllowed);
  }

  consume(this: KeyHandle | undefined, cost?: Cost): Maybe<Decision> {
    if (this === undefined) throw detachedError("handle", "consume");
    this.#checkTakes("consume");
    return this.#limiter.decide("consume", "take", this.#selected, cost, readDecision);
  }

  peek(cost?: Cost): Maybe<Decision> {
    this.#selected.lacksLimits?.();
    return this.#limiter.decide(undefined, "peek", this.#selected, cost, readDecision);
  }

  explain(cost?: Cost): Maybe<LimitStatus[]> {
    const read = this.#selected.lacksLimits === undefined ? explainLimits : explainCounting;
    return this.#limiter.decide(undefined, "explain", this.#selected, cost, (_limiter, request, report) =>
      read(request, report),
    );
  }

  charge(cost: Cost, decision?: Decision): Maybe<Decision> {
    this.#selected.lacksLimits?.();
    if (decision !== undefined) receiptOf(decision);
    const request = new Request().set(this.#selected, this.#selected.correctionOf(cost), "kept");
    if (decision !== undefined) return this.#limiter.chargeCounts(this.#selected, request.costs, decision);
    return this.#limiter.decideRequest("charge", "charge", request, readDecision);
  }

  refund(cost: Cost, decision?: Decision): Maybe<void> {
    this.#selected.lacksLimits?.();
    const own = this.#selected.correctionOf(cost);
    if (decision !== undefined) return this.#refundOf(decision, own);
    const request = new Request().set(this.#selected, own, "kept");
    return this.#limiter.decideRequest<void>(undefined, "refund", request, () => {});
  }

  async wait(cost?: Cost, options?: WaitOptions): Promise<Decision> {
    return this.#turn("wait", cost, checkWaitOptions("wait", options), (decision) => decision);
  }

  async acquire(cost?: Cost, options?: AcquireOptions): Promise<AwaitedReserved> {
    const { wait, reserve } = splitOptions(options);
    return this.#turn("acquire", cost, checkWaitOptions("acquire", wait), (decision, own) => {
      const counted = this.#counted(own, decision);
      return new AwaitedReserved(counted, termOf(this.#limiter.clock, reserve), this.#limiter.asker.keeper);
    });
  }

  async run<T>(work: () => T | PromiseLike<T>, options?: RunOptions): Promise<T> {
    checkFunction("run", work, "a function that does the work");
    const wait = checkWaitOptions("run", options);
    return this.#turn("run", options?.cost, wait, async (decision, own) => {
      const counted = this.#counted(own, decision);
      try {
        // In the turn in which the units are taken.
        return await work();
      } finally {
        // What was taken stays taken. If its place cannot be freed now, it frees itself.
        await later(() => counted.free()).catch(() => {});
      }
    });
  }

  reserve(cost?: Cost, options?: ReserveOptions): Maybe<Reserved | AwaitedReserved> {
    const { kind, clock, asker } = this.#limiter;
    const term = termOf(clock, options);
    return mapMaybeAsync(this.#take("reserve", cost), (counted): Reserved | AwaitedReserved =>
      kind === "sync" ? new Reserved(counted, term) : new AwaitedReserved(counted, term, asker.keeper),
    );
  }

  /**
   * Takes as `reserve` does if a limit counts places, and otherwise as `consume` does, for a call to be corrected. With
   * options of a wait it waits for its turn, if it has to. Then a denial is a decision, too.
   */
  take(cost?: Cost, wait?: WaitOptions): Maybe<CountedCall> {
    if (wait !== undefined) return this.#takeInTurn(cost, checkWaitOptions("take", wait));
    return this.#take(this.#selected.route.takesPlaces ? "reserve" : "consume", cost);
  }

  reset(): Maybe<void> {
    const { route, keys, lacksLimits } = this.#selected;
    const dropped = (): Maybe<void> =>
      mapMaybeAsync(
        all(route.owners.flatMap(({ spaces }, i) => distinctCounts(spaces()).map((space) => space.drop(keys[i]!)))),
        () => changed(route, keys),
      );
    // Another limiter of the name, perhaps in another process, may have counted the key under limits of its own.
    if (lacksLimits === undefined || route.owners.every(({ source }) => typeof source.scope === "symbol"))
      return dropped();
    return mapMaybeAsync(this.explain(), ({ length }) => {
      if (length === 0) lacksLimits("reset");
      return dropped();
    });
  }

  block(span: BlockTime, options?: BlockOptions): Maybe<void> {
    return blockKeys(this.#limiter, this.#selected, span, options);
  }

  unblock(): Maybe<boolean> {
    return unblockKeys(this.#limiter, this.#selected);
  }

  blockedUntil(): Maybe<number | undefined> {
    return blockedUntil(this.#limiter, this.#selected);
  }

  /**
   * @throws TollgateError `ERR_LIMITS` for limits that are not known, or that count places: nothing would free these.
   */
  #checkTakes(verb: string): void {
    this.#selected.lacksLimits?.();
    if (this.#selected.route.takesPlaces) refusePlaces(verb, this.#selected.route.limits);
  }

  /** Asks the only space for a yes or no, without a report. */
  #allowDirectly(cost: number): Maybe<boolean> {
    checkCost(cost);
    const { asker, clock, now } = this.#limiter;
    const ref = this.#ref;
    this.#selected.refresh();
    const { route } = this.#selected;
    readInto(clock, now);
    if (asker.kind === "async") {
      const costs: number[] = [];
      route.readCosts(cost, costs);
      return (route.only as Required<AsyncSpace>).allow(this.#selected.keys[0]!, costs, now[0]!);
    }
    const space = route.only as SyncSpace;
    if (ref === undefined) return space.allow(this.#selected.keys[0]!, cost, now);
    return space.allowRef?.(ref, cost, now) ?? space.allow(ref.key, cost, now);
  }

  #take(name: "reserve" | "consume", cost: Cost | undefined): Maybe<CountedCall> {
    this.#selected.lacksLimits?.();
    const own = copyCost(this.#selected.costOf(cost));
    const decided = this.#limiter.decide(name, "take", this.#selected, own, readDecision);
    return mapMaybeAsync(decided, (decision) => this.#counted(own, decision));
  }

  #counted(cost: Cost, decision: Decision): CountedCall {
    const counted = new CountedCall(this.#limiter, this.#selected.kept(), cost, decision);
    if (counted.hasPlaces) this.#limiter.eachWatch(this.#selected, (watch) => watch.held(counted));
    return counted;
  }

  /** Decides at once if possible. */
  #takeInTurn(cost: Cost | undefined, checked: CheckedWait): Maybe<CountedCall> {
    this.#selected.lacksLimits?.();
    const own = copyCost(this.#selected.costOf(cost));
    let atOnce: Maybe<CountedCall> | undefined;
    let end = (taken: Maybe<CountedCall>): void => {
      atOnce = taken;
    };
    this.#begin(own, checked, (given) => end("allowed" in given ? this.#counted(own, given) : given));
    return (
      atOnce ??
      new Promise((resolve) => {
        end = resolve;
      })
    );
  }

  #refundOf(decision: Decision, cost: Cost): Maybe<void> {
    const receipt = receiptOf(decision);
    if (receipt === undefined) return undefined;
    if (receipt.maker.correctedBy !== this.#limiter)
      throw new TollgateError("ERR_OPTION", "decision: expected one of this limiter, got one of another limiter");
    const counts: number[] = [];
    receipt.route.readCosts(cost, counts, "kept");
    const left = receipt.left.map((units, i) => Math.min(units, counts[i]!));
    return mapMaybeAsync(this.#limiter.correct("refund", receipt, left), () => {});
  }

  /** Waits for a turn, and begins in it: units are taken at the decision, and what follows runs in the same turn. */
  #turn<T>(
    verb: string,
    cost: Cost | undefined,
    checked: CheckedWait,
    begin: (decision: Decision, cost: Cost) => T | Promise<T>,
  ): Promise<T> {
    const selected = this.#selected;
    selected.lacksLimits?.();
    if (verb === "wait" && selected.route.takesPlaces) refusePlaces(verb, selected.route.limits);
    const own = copyCost(selected.costOf(cost));
    return new Promise<T>((resolve) => {
      const ended = (end: Decision): T | Promise<T> =>
        end.allowed ? begin(end, own) : rejected(new DeniedError(verb, end));
      this.#begin(own, checked, (given) => resolve("allowed" in given ? promised(() => ended(given)) : given));
    });
  }

  /** Begins a wait, and measures it if it is watched. */
  #begin(cost: Cost, checked: CheckedWait, end: (end: WaitEnd) => void): void {
    const limiter = this.#limiter;
    const selected = this.#selected;
    const times = selected.route.owners.some(({ watch }) => watch.times);
    const begunUs = times ? readUs(limiter.clock) : 0;
    beginWait(limiter, selected, cost, checked, (given) => {
      if (times && "allowed" in given) limiter.waited(selected, readUs(limiter.clock) - begunUs);
      end(given);
    });
  }
}
