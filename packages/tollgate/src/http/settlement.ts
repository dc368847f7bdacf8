import { isPromise } from "../core/checks.ts";
import { type CheckedCosts, type Cost, readCosts, type UnitCosts } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { AsyncHandle, Handle } from "../limiter/limiter.ts";
import { mapMaybeAsync } from "./maybe-async.ts";

/** How a response ended. */
export interface Outcome {
  /** The status that the handler answered with, even if the client had gone by then; 0 without an answer. */
  readonly status: number;
  /** The bytes of the body that were handed to the network. */
  readonly bytes: number;
  /**
   * Whether the response was sent whole: `false` if the client hung up, or the handler failed and no other code
   * answered. A framework's own response to an error counts like any other.
   */
  readonly completed: boolean;
}

/**
 * Settles a request by how its response ended. Only the first call counts. `done` is called when the limiter has
 * settled.
 */
export type Settle = (outcome: Outcome, done?: () => void) => void;

/** Has a runtime that would end the work of a request wait for a task. */
export type KeepAlive = (task: Promise<unknown>) => void;

type ActualCost = (outcome: Outcome, taken: Cost) => Cost | Promise<Cost>;

/** A counted request, and how to find what it has cost in the end. */
export interface Unsettled {
  /** For the key and limits that the request was counted under. The limiter may choose others by now. */
  readonly handle: Handle | AsyncHandle;
  /** 0 after a denial. */
  readonly taken: Cost;
  /** Tells where the cost was taken: the difference is settled there. */
  readonly decision: Decision;
  /** The cost by the response. Absent if only the handler tells it. */
  readonly actualCost: ActualCost | undefined;
  /** Whether a request may be refunded if its response was not sent whole. */
  readonly settleAborted: boolean;
  /** Never throws. */
  readonly logError: (error: unknown) => void;
}

/** Refunds or charges the difference between the cost that was taken and the actual one. */
export class Settlement {
  /** Settles by the response, unless the handler has told the cost. Absent if the response does not matter. */
  readonly end: Settle | undefined;
  readonly #unsettled: Unsettled;
  /** The units of the limits that the request was counted against. */
  readonly #units: ReadonlySet<string>;
  /** What the request counts for now. */
  #counted: CheckedCosts;
  /** Whether the handler has told the cost: then nothing else decides it. */
  #isTold = false;
  #isOver = false;
  /** The end of the last settlement of an asynchronous limiter. It never rejects. */
  #last: Promise<void> | undefined;
  #keepAlive: KeepAlive | undefined;

  constructor(unsettled: Unsettled) {
    this.#unsettled = unsettled;
    this.#units = new Set(unsettled.decision.limits.map(({ unit }) => unit));
    // Read now: the user may change the object, or return the same object as the actual cost.
    this.#counted = readCosts(unsettled.taken, this.#units, "ignored");
    const { actualCost } = unsettled;
    if (actualCost !== undefined) this.end = (outcome, done) => this.#end(actualCost, outcome, done);
  }

  keepAliveBy(keepAlive: KeepAlive | undefined): void {
    this.#keepAlive = keepAlive;
  }

  /**
   * Settles what the handler says the request has cost so far, whether or not the client waits for the response. Units
   * that it does not name keep what was counted.
   *
   * @throws TollgateError `ERR_COST`, before anything changes. What an asynchronous limiter rejects with is logged.
   */
  readonly tell = (cost: Cost): void => {
    const told = readCosts(cost, this.#units, "ignored");
    const settled = this.#inTurn(() => this.#count(new Map([...this.#counted, ...told]), true));
    this.#isTold = true;
    if (isPromise(settled)) this.#keep(settled);
  };

  #end(actualCost: ActualCost, outcome: Outcome, done: (() => void) | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(actualCost, outcome).catch(this.#unsettled.logError).finally(done);
  }

  async #settle(actualCost: ActualCost, outcome: Outcome): Promise<void> {
    const { settleAborted, taken } = this.#unsettled;
    if (this.#isTold) return;
    // The limiter decides about units that no limit counts.
    const after = readCosts(await actualCost(outcome, taken), this.#units, "ignored");
    // The handler may have told it meanwhile. A client decides when it hangs up: if that refunded units, the client
    // could exceed its limit.
    if (!this.#isTold) await this.#inTurn(() => this.#count(after, outcome.completed || settleAborted));
  }

  /** Settles when an asynchronous limiter has settled what it was told before: if that failed, more is left to do. */
  #inTurn(settle: () => void | Promise<void>): void | Promise<void> {
    const settled = this.#last === undefined ? settle() : this.#last.then(settle);
    if (isPromise(settled)) this.#last = settled.then(undefined, () => {});
    return settled;
  }

  /** Makes the request count for other costs: at once over a synchronous limiter. */
  #count(after: CheckedCosts, refunds: boolean): void | Promise<void> {
    const { handle, decision } = this.#unsettled;
    // If no limit applied or the store was unavailable, nothing was counted.
    if (this.#units.size === 0) return undefined;
    const before = this.#counted;
    const counted = refunds ? after : mostOf(before, after);
    const { charge, refund } = differenceOf(before, counted, this.#units);
    // The limiter checks every unit in the first of both calls. If the charge fails, nothing is refunded.
    const charged = charge === undefined ? undefined : handle.charge(charge, decision);
    return mapMaybeAsync(charged, () => {
      if (charge !== undefined) this.#counted = mostOf(before, counted);
      const refunded = refund === undefined ? undefined : handle.refund(refund, decision);
      return mapMaybeAsync(refunded, () => {
        this.#counted = counted;
      });
    });
  }

  #keep(settled: Promise<void>): void {
    const logged = settled.catch(this.#unsettled.logError);
    this.#keepAlive?.(logged);
  }
}

/** What remains to be charged and refunded once the actual cost is known. */
interface Difference {
  readonly charge: UnitCosts | undefined;
  readonly refund: UnitCosts | undefined;
}

/** A unit that is in neither `before` nor `known` is charged even at cost 0, so that the limiter checks it. */
function differenceOf(before: CheckedCosts, after: CheckedCosts, known: ReadonlySet<string>): Difference {
  const units = [...new Set([...before.keys(), ...after.keys()])];
  const more = units.map((unit): [string, number] => [unit, (after.get(unit) ?? 0) - (before.get(unit) ?? 0)]);
  const isChecked = units.every((unit) => before.has(unit) || known.has(unit));
  const refund = costsOf(more.map(([unit, count]) => [unit, -count]));
  const charge = costsOf(more) ?? (refund === undefined && !isChecked ? Object.fromEntries(more) : undefined);
  return { charge, refund };
}

/** The greater count of each unit. */
function mostOf(before: CheckedCosts, after: CheckedCosts): CheckedCosts {
  const most = new Map(after);
  for (const [unit, count] of before) most.set(unit, Math.max(count, after.get(unit) ?? 0));
  return most;
}

/** Contains every unit, even at cost 0, so that the limiter checks them all. */
function costsOf(units: readonly (readonly [string, number])[]): UnitCosts | undefined {
  if (!units.some(([, count]) => count > 0)) return undefined;
  return Object.fromEntries(units.map(([unit, count]) => [unit, Math.max(0, count)]));
}
