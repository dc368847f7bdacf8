import { isPromise } from "../core/checks.ts";
import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { CONCURRENT_REQUESTS, countsPlaces } from "../core/limits/concurrency-limit.ts";
import { allDone, mapMaybeAsync } from "../core/maybe-async.ts";
import type { TakenFrom } from "../core/store.ts";
import { decidedUsOf } from "./places.ts";

/** Which limits kept a place, in the order of a decision's limits, and the moment that identifies it from then on. */
export interface Renewal {
  readonly held: readonly boolean[];
  readonly renewedUs: number;
}

/** What keeps and frees places: the keys and limits of a reservation. */
export interface PlaceKeeper {
  /** Frees so many places of each limit, all of them taken at one moment. */
  freePlaces(counts: readonly number[], takenFrom: TakenFrom): void | Promise<void>;
  /** Keeps one place of each limit whose moment is not 0. `undefined` if the store that has them was unavailable. */
  renewPlaces(momentsUs: readonly number[], takenFrom: TakenFrom): Renewal | undefined | Promise<Renewal | undefined>;
}

/** The places that a reservation has under one limit. */
export interface PlacesInUse {
  readonly limit: string;
  readonly count: number;
}

/** The places under one limit. They were taken or renewed together, so one moment identifies all. */
interface Hold {
  count: number;
  takenUs: number;
}

/** The places that a reservation holds until it is over. */
export class HeldPlaces {
  readonly #keeper: PlaceKeeper;
  readonly #decision: Decision;
  /** One for each limit of the decision. */
  readonly #holds: readonly Hold[];
  #isFreed = false;
  #hasAll = true;
  /** Called when they are freed. */
  onFreed: (() => void) | undefined = undefined;
  /** The end of the last renewal over an asynchronous store. It never rejects. */
  #last: Promise<unknown> | undefined = undefined;

  constructor(keeper: PlaceKeeper, decision: Decision, counts: readonly number[], takenUs: number) {
    this.#keeper = keeper;
    this.#decision = decision;
    this.#holds = counts.map((count) => ({ count, takenUs }));
  }

  /** Frees them, once. */
  free(): void | Promise<void> {
    if (this.#isFreed) return undefined;
    this.#isFreed = true;
    this.onFreed?.();
    return this.#inTurn(() => this.#freeAll());
  }

  /** Begins their time to live anew. Says whether all are still held. */
  renew(): boolean | Promise<boolean> {
    return this.#inTurn(() => (this.#isFreed ? false : this.#renewRounds(this.#copy(), 0)));
  }

  /** How many places of each limit have not expired yet. */
  inUseAt(nowUs: number): PlacesInUse[] {
    const inUse: PlacesInUse[] = [];
    for (const [i, limit] of this.#decision.limits.entries()) {
      const { count, takenUs } = this.#holds[i]!;
      if (count > 0 && countsPlaces(limit) && nowUs < takenUs + limit.ttlMs * 1000)
        inUse.push({ limit: limit.name, count });
    }
    return inUse;
  }

  #copy(): Hold[] {
    return this.#holds.map((hold) => ({ ...hold }));
  }

  /** Usually all were taken at one moment. Limits whose places were lost or renewed apart have moments of their own. */
  #freeAll(): void | Promise<void> {
    const held = this.#holds.filter(({ count }) => count > 0);
    const [first] = held;
    if (first === undefined) return undefined;
    if (held.every(({ takenUs }) => takenUs === first.takenUs)) return this.#freeAt(first.takenUs);
    const moments = new Set(held.map(({ takenUs }) => takenUs));
    return allDone(Array.from(moments, (takenUs) => this.#freeAt(takenUs)));
  }

  #freeAt(takenUs: number): void | Promise<void> {
    const counts = this.#holds.map((hold) => (hold.takenUs === takenUs ? hold.count : 0));
    const { degraded, overflowed } = this.#decision;
    // Spreading takes longer than the rest.
    const isUsual = degraded === undefined && overflowed === undefined;
    return this.#keeper.freePlaces(counts, isUsual ? { takenUs } : { ...takenFromOf(this.#decision), takenUs });
  }

  /** Each round keeps one place of each limit: those of one moment cannot be told apart. */
  #renewRounds(before: readonly Hold[], round: number): boolean | Promise<boolean> {
    const moments = before.map((hold) => (hold.count > round ? momentOf(hold) : 0));
    if (moments.every((us) => us === 0)) return this.#hasAll;
    return mapMaybeAsync(this.#keeper.renewPlaces(moments, takenFromOf(this.#decision)), (renewal) => {
      // They may be there still. Another renewal finds out.
      if (renewal === undefined) return false;
      const { held, renewedUs } = renewal;
      for (const [i, hold] of this.#holds.entries()) {
        if (moments[i] === 0) continue;
        // The first renewal comes before the others, so it names them all.
        if (held[i]! && momentOf(hold) === moments[i]) hold.takenUs = renewedUs;
        if (held[i]!) continue;
        hold.count -= 1;
        this.#hasAll = false;
      }
      return this.#renewRounds(before, round + 1);
    });
  }

  #inTurn<T>(work: () => T | Promise<T>): T | Promise<T> {
    const done = this.#last === undefined ? work() : this.#last.then(work);
    if (isPromise(done)) this.#last = done.then(undefined, () => {});
    return done;
  }
}

function takenFromOf({ degraded, overflowed }: Decision): TakenFrom {
  return { ...(degraded !== undefined && { degraded }), ...(overflowed !== undefined && { overflowed }) };
}

/** Never 0, which stands for no place: manual clocks begin there. A microsecond before it, the place was not taken. */
function momentOf({ takenUs }: Hold): number {
  return takenUs === 0 ? -1 : takenUs;
}

/** The places that a decision took, if it took any. */
export function heldPlacesOf(keeper: PlaceKeeper, decision: Decision, cost: Cost): HeldPlaces | undefined {
  const takenUs = decision.allowed ? decidedUsOf(decision) : undefined;
  if (takenUs === undefined) return undefined;
  const count = placesOf(cost, decision);
  // A limit in shadow mode that would have denied took nothing.
  const counts = decision.limits.map((limit) =>
    countsPlaces(limit) && decision.shadowDenied?.includes(limit) !== true ? count : 0,
  );
  return counts.some((each) => each > 0) ? new HeldPlaces(keeper, decision, counts, takenUs) : undefined;
}

function placesOf(cost: Cost, { limits }: Decision): number {
  if (typeof cost === "number") return limits.every(countsPlaces) ? cost : 1;
  return cost[CONCURRENT_REQUESTS] ?? 1;
}
