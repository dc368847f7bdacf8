import type { PlacesReport } from "../../redis/script/lease.ts";
import type { NodeMoment } from "./held.ts";
import type { LentFrom, NewPlaces } from "./places.ts";

/** A lease of places. Numbers of places have one entry per limit. */
export class PlacesLease implements LentFrom {
  number: number;
  /** Its number, if a request has arrived that was not answered. */
  also: number | undefined = undefined;
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

  constructor(number: number, { free, held }: NewPlaces, lastsUs: number, { us, wallUs }: NodeMoment) {
    this.number = number;
    this.free = [...free];
    this.held = [...held];
    this.known = this.#left;
    this.lastUs = us + lastsUs;
    this.#lastWallUs = wallUs + lastsUs;
  }

  get lends(): boolean {
    return this.#lends;
  }

  lastsAt(us: number, wallUs: number): boolean {
    return us < this.lastUs && wallUs < this.#lastWallUs;
  }

  /** Microseconds until its end, by the clock that is closer to it. */
  restUs(us: number, wallUs: number): number {
    return Math.min(this.lastUs - us, this.#lastWallUs - wallUs);
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

  /** A new lease has replaced it, which has more places. The script knows what was reported before, and these. */
  replace(number: number, reported: readonly number[], more: NewPlaces): void {
    this.number = number;
    this.#add(more);
    this.known = reported.map((count, limit) => count + more.free[limit]! + more.held[limit]!);
  }

  /** No call holds places of it any more. */
  forget(): void {
    this.retire();
    this.held.fill(0);
  }

  /** Lasts so long from a moment on, before which the server was asked. */
  extend(lastsUs: number, { us, wallUs }: NodeMoment, mayLend: boolean): void {
    this.lastUs = us + lastsUs;
    this.#lastWallUs = wallUs + lastsUs;
    this.#lends ||= mayLend;
    if (!this.#lends) this.shrinkAll();
  }

  /** Says what is left. The script counts no more from then on. */
  report(isExtended: boolean): PlacesReport[] {
    const units = this.#left;
    this.known = units;
    const numbers = this.also === undefined ? [this.number] : [this.number, this.also];
    return numbers.map((number) => ({ number, isExtended, units }));
  }

  #add(more: NewPlaces): void {
    for (const [limit, count] of more.free.entries()) this.free[limit]! += count;
    for (const [limit, count] of more.held.entries()) this.held[limit]! += count;
  }

  get #left(): number[] {
    return this.free.map((free, limit) => free + this.held[limit]!);
  }
}
