import { countsPlaces } from "../../../core/limits/concurrency-limit.ts";
import type { Plan } from "../../../core/plan.ts";
import type { LeaseAsk, LeaseGrant } from "../../redis/script/lease.ts";
import type { Held, NodeMoment, Reserve } from "./held.ts";
import type { LentFrom, Places } from "./places.ts";

/** What a request says of the leases that a node has. */
export type Reported = Pick<LeaseAsk, "reports" | "places" | "replaced">;

/** The server's answer to a request. */
interface HoldingsAnswer {
  readonly ask: LeaseAsk;
  readonly grant: LeaseGrant;
  /** The moment before the request. */
  readonly asked: NodeMoment;
  /** How many calls were admitted, and what each of them cost. */
  readonly admitted: number;
  readonly costs: readonly number[];
  /** Whether calls may be admitted with leases that were extended. */
  readonly mayLend: boolean;
}

/**
 * Where places are too few for all nodes, a node gives up this part of those beyond its part of the limit: each time a
 * call is denied, which happens often, and each time it asks for something else.
 */
const SHED_WHEN_DENIED = 1 / 200;
const SHED_WHEN_SCARCE = 1 / 8;

const NO_PLACES = { places: [], replaced: 0 } as const;
const NO_NEWS: Reported = { reports: [], ...NO_PLACES };

/** What a node has of one key in advance: units, which are spent, and places, which calls hold and give back. */
export class KeyHoldings {
  readonly units: Held;
  readonly #places: Places | undefined;
  readonly #isPlace: readonly boolean[];
  readonly #hasUnits: boolean;
  /** The moment that identifies the places of the last call that was admitted. */
  lentUs: number | undefined = undefined;
  /** The lease that has the places of the calls that the last answer admitted. */
  #answered: { readonly lease: LentFrom | undefined; readonly asked: NodeMoment } | undefined = undefined;

  constructor({ limits }: Plan, units: Held, places: Places | undefined) {
    this.#places = places;
    this.#isPlace = limits.map(countsPlaces);
    this.#hasUnits = this.#isPlace.includes(false);
    this.units = units;
  }

  /** Finds memory for the key. False if other keys have all of it: then this one cannot have leases. */
  prepare(us: number): boolean {
    return this.units.prepare(us) && (this.#places?.prepare(us) ?? true);
  }

  /** Whether other keys have all the memory, as far as is known. */
  get lacksMemory(): boolean {
    return this.units.lacksMemory || this.#places?.lacksMemory === true;
  }

  /** How many leases the script may still count for this node. */
  get count(): number {
    return this.units.count + (this.#places?.count ?? 0);
  }

  /** Takes a cost, all or nothing. */
  spend(costs: readonly number[], us: number, wallUs: number): boolean {
    const places = this.#places;
    if (places === undefined) return this.units.spend(costs, us, wallUs);
    if (!places.covers(costs, us, wallUs)) return false;
    const lentUs = places.lend(costs, us, wallUs);
    if (lentUs === undefined) return false;
    const units = this.#onlyUnits(costs);
    if (units.some((cost) => cost > 0) && !this.units.spend(units, us, wallUs)) {
      places.giveUp(lentUs, costs);
      return false;
    }
    this.lentUs = lentUs;
    return true;
  }

  /** Nothing was spent or lent after this moment. */
  get spentUs(): number {
    if (this.#places === undefined) return this.units.spentUs;
    return Math.max(this.#hasUnits ? this.units.spentUs : Number.NEGATIVE_INFINITY, this.#places.lentAtUs);
  }

  /** Microseconds until the last of what `left` counts can no longer be spent; 0 without any. */
  lastsUs(limit: number, us: number, wallUs: number): number {
    const places = this.#isPlace[limit]! ? this.#places : undefined;
    return places?.lastsUs(us, wallUs) ?? this.units.lastsUs(us, wallUs);
  }

  /** Units or places of a limit that the next calls get. */
  left(limit: number, us: number, wallUs: number): number {
    const places = this.#isPlace[limit]! ? this.#places : undefined;
    return places?.free(limit, us, wallUs) ?? this.units.units(limit, us, wallUs);
  }

  /** Units of a limit that the script counts for this node, and places that no call holds. */
  known(limit: number): number {
    const places = this.#isPlace[limit]! ? this.#places : undefined;
    return places?.unused(limit) ?? this.units.known(limit);
  }

  /** Whether it is time to ask for more. */
  isLow(reserve: Reserve, us: number, wallUs: number): boolean {
    if (this.#hasUnits && this.units.isLow(reserve, us)) return true;
    return this.#places?.isLow(us, wallUs, reserve.marginUs) === true;
  }

  /** What to take in advance, where demand makes so many units worth it. */
  wanted(sized: readonly number[]): readonly number[] {
    const places = this.#places;
    if (places === undefined || sized.every((units) => units === 0)) return sized;
    if (!places.mayAdd) return sized.map(() => 0);
    return sized.map((units, limit) => (this.#isPlace[limit]! ? places.wanted(limit) : units));
  }

  /**
   * Adds what was granted, and notes what the script knows of the places that were reported. A new lease has the places
   * of the calls that were `admitted` with these costs: then `lendAnswered` gives them out.
   *
   * @returns what has to be given back, because there is no memory for it.
   */
  answered(answer: HoldingsAnswer): Reported {
    const toTell = this.#noteAnswer(answer);
    this.#places?.endAsk();
    return toTell;
  }

  #noteAnswer({ ask, grant, asked, admitted, costs, mayLend }: HoldingsAnswer): Reported {
    const places = this.#places;
    this.#answered = undefined;
    places?.confirm(ask.places, grant.areKnown, asked, mayLend);
    const isDenied = admitted < ask.calls;
    const isShared = grant.nodes > 1 && (isDenied || grant.isScarce);
    places?.share(isShared ? grant.nodes : 1, isDenied ? SHED_WHEN_DENIED : SHED_WHEN_SCARCE, asked.us);
    if (grant.lastsUs === 0) return NO_NEWS;
    const units = this.#onlyUnits(grant.units);
    const hasUnits = units.some((count) => count > 0);
    const isAdded = (places !== undefined && !hasUnits) || this.units.add({ ...grant, units }, ask.number, asked);
    const { endsUs } = grant;
    if (!isAdded) return { ...NO_NEWS, reports: [{ endsUs, number: ask.number, isReturned: true, units }] };
    const free = this.#onlyPlaces(grant.units, 1);
    const held = this.#onlyPlaces(costs, admitted);
    if (places === undefined || [...free, ...held].every((count) => count === 0)) return NO_NEWS;
    const lease = places.add(ask, { free, held }, grant.lastsUs, asked, mayLend);
    if (admitted > 0) this.#answered = { lease, asked };
    return NO_NEWS;
  }

  /** Gives a call its places that the last answer admitted. @returns what identifies them, if they are leased. */
  lendAnswered(costs: readonly number[], us: number): number | undefined {
    if (this.#answered === undefined) return undefined;
    return this.#places?.hold(this.#answered.lease, costs, this.#answered.asked, us);
  }

  /** There was no answer. */
  failed(ask: LeaseAsk): void {
    this.#places?.noteFailure(ask);
  }

  /** Reports all leases. */
  report(us: number, wallUs: number): Reported {
    return { reports: this.units.report(us, wallUs), ...(this.#places?.report(us) ?? NO_PLACES) };
  }

  /** Returns what the server may need for a call that is not covered. */
  offer(costs: readonly number[], us: number, wallUs: number): Reported {
    const reports = this.units.giveBack(us, wallUs);
    const hasPlaces = this.#places?.covers(costs, us, wallUs) === true;
    return { reports, ...((hasPlaces ? this.#places?.report(us) : this.#places?.offer(us)) ?? NO_PLACES) };
  }

  /** Returns what no call holds. Nothing can be spent afterwards. */
  giveBack(us: number, wallUs: number): Reported {
    return { reports: this.units.giveBack(us, wallUs), places: this.#places?.giveBack() ?? [], replaced: 0 };
  }

  /** Returns everything, even the places that calls hold. */
  forget(us: number, wallUs: number): Reported {
    return { reports: this.units.giveBack(us, wallUs), places: this.#places?.forget() ?? [], replaced: 0 };
  }

  /** What the server should know by now, without a request. */
  news(us: number): Reported {
    return { reports: [], places: this.#places?.news(us) ?? [], replaced: 0 };
  }

  /** Forgets leases that have ended. */
  expire(us: number, wallUs: number): void {
    this.units.expire(us, wallUs);
    this.#places?.expire(us, wallUs);
  }

  /** A grant without its places. */
  unitsOf(grant: LeaseGrant): LeaseGrant {
    return this.#places === undefined ? grant : { ...grant, units: this.#onlyUnits(grant.units) };
  }

  #onlyPlaces(costs: readonly number[], times: number): number[] {
    return costs.map((cost, limit) => (this.#isPlace[limit]! ? times * cost : 0));
  }

  #onlyUnits(costs: readonly number[]): readonly number[] {
    return this.#places === undefined ? costs : costs.map((cost, limit) => (this.#isPlace[limit]! ? 0 : cost));
  }
}

/** Whether a request has something to say. */
export function isNews({ reports, places }: Reported): boolean {
  return reports.length > 0 || places.length > 0;
}
