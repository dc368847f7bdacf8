import { isPromise } from "../core/checks.ts";
import { type CheckedCosts, type Cost, checkCost, copyCost, readCosts, type UnitCosts } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { CONCURRENT_REQUESTS, countsPlaces } from "../core/limits/concurrency-limit.ts";
import { mapMaybeAsync } from "../core/maybe-async.ts";
import { unitsOf } from "../core/plan.ts";

const NOTHING: CheckedCosts = new Map<string, number>();

/** What corrects a call: a handle of the key and the limits that it was counted under. */
export interface Corrections {
  charge(cost: Cost, decision?: Decision): Decision | Promise<Decision>;
  refund(cost: Cost, decision?: Decision): void | Promise<void>;
}

/** A call whose cost was an estimate. */
export interface Estimated {
  readonly handle: Corrections;
  /** Nothing after a denial. */
  readonly taken: Cost;
  /** Tells where the cost was taken: the difference is charged or refunded there. */
  readonly decision: Decision;
}

/** What a call counts for, which changes as its actual cost gets known. */
export class CountedCost {
  readonly #handle: Corrections;
  readonly #decision: Decision;
  /** Read at once: the user may change the object. A plain number stays one, because that is quicker. */
  #counted: number | CheckedCosts;
  /** The end of the last correction over an asynchronous store. It never rejects. */
  #last: Promise<unknown> | undefined = undefined;

  constructor({ handle, taken, decision }: Estimated) {
    this.#handle = handle;
    this.#decision = decision;
    this.#counted = typeof taken === "number" ? taken : this.read(taken);
  }

  /** The limiter decides about units that no limit counts. Places are no units. @throws TollgateError `ERR_COST`. */
  read(cost: Cost): CheckedCosts {
    const read = readCosts(cost, this.#units, "ignored");
    if (!read.has(CONCURRENT_REQUESTS)) return read;
    return new Map([...read].filter(([unit]) => unit !== CONCURRENT_REQUESTS));
  }

  /** Charges more. @throws TollgateError what `charge` throws; an asynchronous store rejects. */
  add(cost: Cost): Decision | Promise<Decision> {
    const own = copyCost(cost);
    return this.#inTurn(() =>
      mapMaybeAsync(this.#handle.charge(own, this.#decision), (decision) => {
        if (this.#countsNothing) return decision;
        if (typeof own === "number" && typeof this.#counted === "number") this.#counted += own;
        else this.#counted = sumOf(this.#costs, this.read(own));
        return decision;
      }),
    );
  }

  /**
   * Makes the call count for this cost. Units that it does not name keep what they count.
   *
   * @throws TollgateError `ERR_COST`, before anything changes; an asynchronous store rejects.
   */
  revise(cost: Cost): void | Promise<void> {
    if (typeof cost === "number" && typeof this.#counted === "number") {
      checkCost(cost);
      // The usual case makes no closure.
      if (this.#last !== undefined) return this.#inTurn(() => this.#reviseNumber(cost));
      return this.#noted(this.#reviseNumber(cost));
    }
    const named = this.read(cost);
    return this.#inTurn(() => this.#count(new Map([...this.#costs, ...named]), true));
  }

  /** Makes the call count for these costs alone. Without `refunds` nothing is given back. */
  replace(costs: CheckedCosts, refunds: boolean): void | Promise<void> {
    return this.#inTurn(() => this.#count(costs, refunds));
  }

  /** Gives everything back. */
  cancel(): void | Promise<void> {
    return typeof this.#counted === "number" ? this.revise(0) : this.replace(new Map(), true);
  }

  /** The units of the limits that the call was counted against. */
  get #units(): ReadonlySet<string> {
    return unitsOf(this.#decision.limits);
  }

  /** Whether no limit counted units, or the store was unavailable and nothing was counted. */
  get #countsNothing(): boolean {
    const { limits } = this.#decision;
    // Usually the first one says no. `every` takes longer than the rest of a settlement's arithmetic.
    for (let i = 0; i < limits.length; i += 1) if (!countsPlaces(limits[i]!)) return false;
    return true;
  }

  get #costs(): CheckedCosts {
    if (typeof this.#counted !== "number") return this.#counted;
    // After a denial of several units a plain 0 names none of them.
    return this.#counted === 0 ? NOTHING : this.read(this.#counted);
  }

  /** Corrects when an asynchronous store has made the corrections before: if one failed, more is left to do. */
  #inTurn<T>(correct: () => T | Promise<T>): T | Promise<T> {
    return this.#noted(this.#last === undefined ? correct() : this.#last.then(correct));
  }

  #noted<T>(corrected: T | Promise<T>): T | Promise<T> {
    if (isPromise(corrected)) this.#last = corrected.then(undefined, () => {});
    return corrected;
  }

  #reviseNumber(cost: number): void | Promise<void> {
    const before = this.#counted;
    if (typeof before !== "number") return this.#count(new Map([...before, ...this.read(cost)]), true);
    if (this.#countsNothing || cost === before) return undefined;
    const more = cost - before;
    const corrected: unknown =
      more > 0 ? this.#handle.charge(more, this.#decision) : this.#handle.refund(-more, this.#decision);
    if (isPromise(corrected)) return mapMaybeAsync(corrected, () => this.#setCounted(cost));
    this.#counted = cost;
  }

  #setCounted(cost: number): void {
    this.#counted = cost;
  }

  #count(after: CheckedCosts, refunds: boolean): void | Promise<void> {
    if (this.#countsNothing) return undefined;
    const before = this.#costs;
    const counted = refunds ? after : mostOf(before, after);
    const { charge, refund } = differenceOf(before, counted, this.#units);
    // The limiter checks every unit in the first of both calls. If the charge fails, nothing is refunded.
    const charged = charge === undefined ? undefined : this.#handle.charge(charge, this.#decision);
    return mapMaybeAsync(charged, () => {
      if (charge !== undefined) this.#counted = mostOf(before, counted);
      const refunded = refund === undefined ? undefined : this.#handle.refund(refund, this.#decision);
      return mapMaybeAsync(refunded, () => {
        this.#counted = counted;
      });
    });
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

function sumOf(some: CheckedCosts, others: CheckedCosts): CheckedCosts {
  const sum = new Map(some);
  for (const [unit, count] of others) sum.set(unit, count + (sum.get(unit) ?? 0));
  return sum;
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
