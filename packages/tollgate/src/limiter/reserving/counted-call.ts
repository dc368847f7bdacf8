import { isPromise } from "../../core/checks.ts";
import { readUs } from "../../core/clock.ts";
import { type Cost, copyCost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import { CONCURRENT_REQUESTS, countsPlaces } from "../../core/limits/places.ts";
import { all, type Maybe, mapMaybeAsync, withFailure } from "../../core/maybe-async.ts";
import type { AsyncSpace, ReservationKeeper } from "../../core/store.ts";
import type { Selected } from "../choosing/selected.ts";
import { receiptOf } from "../deciding/decided.ts";
import type { Decider } from "../deciding/decider.ts";
import type { Held, PlacesInUse } from "./held.ts";
import { joinReceipts } from "./join-receipts.ts";
import type { Receipt } from "./receipt.ts";

/** A call that was charged more often than this joins the receipts of its charges. */
const MOST_RECEIPTS = 1_024;

/**
 * A call whose cost may be corrected. It has the receipts of what was taken: first by the call, then by its charges.
 * Corrections act on these, the latest one first. Over a store elsewhere they are made one after another.
 */
export class CountedCall implements Held {
  readonly decision: Decision;
  /** The cost that the call was given, in the units that are counted. */
  readonly cost: Cost;
  readonly #limiter: Decider;
  readonly #selected: Selected;
  #receipts: Receipt[] = [];
  /** What the call counts for under each limit; 0 under limits that count places. */
  #counted: number[];
  readonly #isPlace: readonly boolean[];
  readonly #nothing: readonly number[];
  /** Whether places have freed themselves before they were renewed. */
  #hasLostPlaces = false;
  onFreed: (() => void) | undefined = undefined;
  /** The end of the last correction over a store elsewhere. It never rejects. */
  #last: Promise<unknown> | undefined = undefined;

  /** `selected` is the call's own: nothing else writes into it. */
  constructor(limiter: Decider, selected: Selected, cost: Cost, decision: Decision) {
    this.decision = decision;
    this.cost = cost;
    this.#limiter = limiter;
    this.#selected = selected;
    this.#keepReceipt(receiptOf(decision));
    this.#isPlace = selected.route.limits.map(countsPlaces);
    this.#nothing = this.#isPlace.map(() => 0);
    this.#counted = decision.allowed ? this.#read(cost) : [...this.#nothing];
  }

  /** Whether the call has places, which are freed when it is over. */
  get hasPlaces(): boolean {
    return this.#receipts.some(({ left }) => left.some((units, i) => units > 0 && this.#isPlace[i]!));
  }

  /** Charges more. @throws TollgateError what `charge` throws. */
  add(cost: Cost): Maybe<Decision> {
    const own = this.#selected.correctionOf(copyCost(cost));
    return this.#inTurn(() => {
      const counts: number[] = [];
      this.#selected.route.readCosts(own, counts, "kept");
      return mapMaybeAsync(this.#limiter.chargeCounts(this.#selected, counts, this.decision), (decision) => {
        this.#add(decision, counts);
        return decision;
      });
    });
  }

  /** Makes the call count for this cost. Units that the cost does not name keep what they count. */
  revise(cost: Cost, places: "kept" | "freed" = "kept"): Maybe<void> {
    const { route } = this.#selected;
    const own = this.#selected.correctionOf(cost);
    const named = this.#read(own);
    const isNamed = route.limits.map((limit) => route.names(own, limit));
    return this.#inTurn(() => {
      const after = this.#counted.map((counted, i) => (isNamed[i]! ? named[i]! : counted));
      return this.#count(after, places);
    });
  }

  /** Makes the call count for this cost alone. Without `refunds` nothing is given back. */
  replace(cost: Cost, refunds: boolean): Maybe<void> {
    const named = this.#read(this.#selected.correctionOf(cost));
    return this.#inTurn(() => {
      const after = named.map((count, i) => (refunds ? count : Math.max(count, this.#counted[i]!)));
      return this.#count(after, "kept");
    });
  }

  /** Keeps what the call counts for, and frees its places. */
  free(): Maybe<void> {
    return this.#inTurn(() => this.#giveBack(this.#nothing, "freed"));
  }

  /** Gives everything back. */
  cancel(): Maybe<void> {
    return this.#inTurn(() => this.#count(this.#nothing, "freed"));
  }

  /** Hands the call over to a store that keeps it, and to whichever process settles it. */
  keep(keeper: ReservationKeeper, ttlUs: number): Maybe<string> {
    const { route, keys, prices } = this.#selected;
    const plain = this.#selected.correctionOf(1);
    return this.#inTurn(() => {
      const receipts = this.#receipts.map(({ taken, left }) => ({ taken, left }));
      const call = {
        ttlUs,
        nowUs: readUs(this.#limiter.clock),
        calls: route.spaces.map((space, i) => ({ space: space as AsyncSpace, key: keys[route.keyIndexes[i]!]! })),
        units: route.limits.map((limit) => ({
          unit: prices.reduce((unit, { pricing }) => pricing.unitOf(unit), limit.unit),
          isPlain: route.names(plain, limit),
        })),
        refusesOthers: route.refusesOthers,
        counted: this.#counted,
        receipts,
      };
      // Another process gives it back from now on, so `refund` of a decision no longer does.
      for (const receipt of this.#receipts) receipt.give(receipt.left);
      return withFailure<string>(
        () => keeper.keep(call),
        (error) => {
          for (const [i, { left }] of receipts.entries()) this.#receipts[i]!.keep(left);
          throw error;
        },
      );
    });
  }

  /** Begins the time to live of the places anew. Says whether all are there. */
  renew(): Maybe<boolean> {
    return this.#inTurn(() => this.#renewFrom(0));
  }

  inUseAt(nowUs: number): PlacesInUse[] {
    const inUse: PlacesInUse[] = [];
    for (const receipt of this.#receipts) {
      for (const [i, { name }] of this.#selected.route.limits.entries()) {
        const count = receipt.left[i]!;
        if (this.#isPlace[i]! && count > 0 && nowUs < receipt.untilUs[i]!) inUse.push({ limit: name, count });
      }
    }
    return inUse;
  }

  /** Places are no part of a cost that is corrected: they are freed when the call is over. */
  #read(cost: Cost): number[] {
    const counts: number[] = [];
    const { [CONCURRENT_REQUESTS]: places, ...units } = typeof cost === "object" && cost !== null ? cost : {};
    this.#selected.route.readCosts(places === undefined ? cost : units, counts, "kept");
    return counts;
  }

  /** Whether no limit counted the call, or the store was unavailable and nothing decided in its place. */
  get #countsNothing(): boolean {
    return this.decision.limits.length === 0;
  }

  #add(decision: Decision, counts: readonly number[]): void {
    if (this.#countsNothing) return;
    this.#counted = this.#counted.map((counted, i) => counted + counts[i]!);
    this.#keepReceipt(receiptOf(decision));
    if (this.#receipts.length > MOST_RECEIPTS) this.#joinCharges();
  }

  /** The first receipt stays: it has the places. Charges that are too many after that are the oldest of many limits. */
  #joinCharges(): void {
    const [first, ...charges] = this.#receipts;
    const joined = joinReceipts(charges, readUs(this.#limiter.clock)).slice(1 - MOST_RECEIPTS);
    this.#receipts = [];
    for (const receipt of [first, ...joined]) this.#keepReceipt(receipt);
  }

  /** What is given back counts no longer, whether the call or `refund` of its decision gives it back. */
  #keepReceipt(receipt: Receipt | undefined): void {
    if (receipt === undefined) return;
    this.#receipts.push(receipt);
    receipt.onGiven = (units) => {
      this.#counted = this.#counted.map((counted, i) => (this.#isPlace[i]! ? counted : counted - units[i]!));
    };
  }

  /** Charges what is missing, then gives back what is too much. If the charge fails, no unit is given back. */
  #count(after: readonly number[], places: "kept" | "freed"): Maybe<void> {
    if (this.#countsNothing) return this.#giveBack(this.#nothing, places);
    const more = after.map((count, i) => Math.max(0, count - this.#counted[i]!));
    const less = after.map((count, i) => Math.max(0, this.#counted[i]! - count));
    if (!more.some((count) => count > 0)) return this.#giveBack(less, places);
    const freed = this.#giveBack(this.#nothing, places);
    return mapMaybeAsync(this.#limiter.chargeCounts(this.#selected, more, this.decision), (decision) => {
      this.#add(decision, more);
      return mapMaybeAsync(freed, () => this.#giveBack(less, "kept"));
    });
  }

  /** Gives back of each receipt what it has left, the latest first. */
  #giveBack(less: readonly number[], places: "kept" | "freed"): Maybe<void> {
    let missing = less;
    const given: Maybe<void>[] = [];
    for (const receipt of this.#receipts.toReversed()) {
      const counts = receipt.left.map((left, i) =>
        this.#isPlace[i]! ? (places === "freed" ? left : 0) : Math.min(left, missing[i]!),
      );
      if (!counts.some((count) => count > 0)) continue;
      missing = missing.map((count, i) => (this.#isPlace[i]! ? count : count - counts[i]!));
      given.push(mapMaybeAsync(this.#limiter.correct("refund", receipt, counts), () => {}));
    }
    if (places === "freed") this.onFreed?.();
    return mapMaybeAsync(all(given), () => {});
  }

  #renewFrom(first: number): Maybe<boolean> {
    const receipt = this.#receipts[first];
    if (receipt === undefined) return !this.#hasLostPlaces;
    const counts = receipt.left.map((left, i) => (this.#isPlace[i]! ? left : 0));
    if (!counts.some((count) => count > 0)) return this.#renewFrom(first + 1);
    return mapMaybeAsync(this.#limiter.correct("renew", receipt, counts), (report) => {
      // They may be there still. Another renewal finds out.
      if (report.degraded !== undefined && this.decision.degraded === undefined) return false;
      // A failure policy tells nothing of single limits.
      const isKept = counts.map((count, i) => count === 0 || (report.conforms[i] ?? report.admitted));
      receipt.renewed(isKept, report.untilUs, counts);
      if (isKept.includes(false)) this.#hasLostPlaces = true;
      return this.#renewFrom(first + 1);
    });
  }

  #inTurn<T>(work: () => Maybe<T>): Maybe<T> {
    const done = this.#last === undefined ? work() : this.#last.then(work);
    if (isPromise(done)) this.#last = done.then(undefined, () => {});
    return done;
  }
}
