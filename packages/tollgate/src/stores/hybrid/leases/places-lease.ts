import type { PlacesReport } from "../../redis/script/lease.ts";
import type { NodeMoment } from "./held-leases.ts";

/** A lease of places. Numbers of places have one entry per limit. */
export class PlacesLease {
  readonly number: number;
  /** Places that no call holds. */
  readonly free: number[];
  /** Places that calls hold. */
  readonly held: number[];
  /** Places that the script counts for it. */
  known: readonly number[];
  /** Its end by this node's clocks, both of which have to be before it. */
  lastUs: number;
  #lastWallUs: number;
  /** Whether calls get its free places. */
  #lends = true;

  constructor(number: number, places: readonly number[], lastsUs: number, { us, wallUs }: NodeMoment) {
    this.number = number;
    this.free = [...places];
    this.held = places.map(() => 0);
    this.known = places;
    this.lastUs = us + lastsUs;
    this.#lastWallUs = wallUs + lastsUs;
  }

  get lends(): boolean {
    return this.#lends;
  }

  /** Whether calls may begin to hold places, or renew them. */
  lastsAt(us: number, wallUs: number): boolean {
    return us < this.lastUs && wallUs < this.#lastWallUs;
  }

  lendsAt(us: number, wallUs: number): boolean {
    return this.#lends && this.lastsAt(us, wallUs);
  }

  get isEmpty(): boolean {
    return this.#left.every((places) => places === 0);
  }

  get hasChanged(): boolean {
    const left = this.#left;
    return this.known.some((known, limit) => known !== left[limit]);
  }

  /** Gives so many free places to a call, or fewer. @returns how many. */
  lend(limit: number, count: number): number {
    const lent = Math.min(count, this.free[limit]!);
    this.free[limit]! -= lent;
    this.held[limit]! += lent;
    return lent;
  }

  /** A call no longer holds so many places. */
  takeBack(limit: number, count: number): void {
    this.held[limit]! -= count;
    if (this.#lends) this.free[limit]! += count;
  }

  /** Gives up so many free places, or fewer. @returns how many. */
  shrink(limit: number, count: number): number {
    const given = Math.min(count, this.free[limit]!);
    this.free[limit]! -= given;
    return given;
  }

  /** Gives up all free places. */
  shrinkAll(): void {
    this.free.fill(0);
  }

  /** Gives up all free places, and those that calls give back. */
  retire(): void {
    this.#lends = false;
    this.shrinkAll();
  }

  /** Lasts so long from a moment on, before which the server was asked. */
  extend(lastsUs: number, { us, wallUs }: NodeMoment, mayLend: boolean): void {
    this.lastUs = us + lastsUs;
    this.#lastWallUs = wallUs + lastsUs;
    this.#lends ||= mayLend;
  }

  /** Says what is left. The script counts no more from then on. */
  report(isExtended: boolean): PlacesReport {
    this.known = this.#left;
    return { number: this.number, isExtended, units: this.known };
  }

  get #left(): number[] {
    return this.free.map((free, limit) => free + this.held[limit]!);
  }
}
