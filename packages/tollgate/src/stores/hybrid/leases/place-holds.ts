import { DRIFT } from "./held.ts";
import type { PlaceHolder, PlaceHolders } from "./place-holders.ts";
import type { LentFrom } from "./places.ts";

/** Places of one limit that a call got from a lease. */
interface HeldPart {
  readonly lease: LentFrom;
  readonly limit: number;
  count: number;
}

/** The places that a call holds. */
export interface Hold {
  parts: HeldPart[];
  /** When the call got or renewed them at the earliest, by this node's clocks, and at the latest. */
  readonly us: number;
  readonly wallUs: number;
  readonly lastUs: number;
  /** The moment that identifies its places that were renewed. A call renews them one after another. */
  nextUs: number | undefined;
}

/** The places of one key that calls hold, by the moments that identify them. */
export class PlaceHolds {
  readonly #ttlsUs: readonly number[];
  readonly #longestUs: number;
  readonly #holders: PlaceHolders;
  readonly #holder: PlaceHolder;
  /** In the order in which they expire. */
  readonly #holds = new Map<number, Hold>();

  constructor(ttlsUs: readonly number[], holders: PlaceHolders, holder: PlaceHolder) {
    this.#ttlsUs = ttlsUs;
    // A node's clock may be faster than the server's.
    this.#longestUs = Math.max(...ttlsUs) * (1 + DRIFT);
    this.#holders = holders;
    this.#holder = holder;
  }

  get count(): number {
    return this.#holds.size;
  }

  /** @returns the moment that identifies the places. */
  add(hold: Hold): number {
    const momentUs = this.#holders.add(this.#holder, hold.wallUs);
    this.#holds.set(momentUs, hold);
    return momentUs;
  }

  /** A place of a limit that has not expired by either clock. */
  find(momentUs: number, limit: number, us: number, wallUs: number): HeldPart | undefined {
    const hold = this.#holds.get(momentUs);
    const ttlUs = this.#ttlsUs[limit]!;
    if (hold === undefined || us - hold.us >= ttlUs || wallUs - hold.wallUs >= ttlUs) return undefined;
    return hold.parts.find((part) => part.limit === limit && part.count > 0);
  }

  /**
   * Begins the time of a place of a limit anew, if its lease lasts. With `other` the call has got a place of another
   * lease in its stead.
   *
   * @returns the moment that identifies it from now on.
   */
  renew(momentUs: number, limit: number, us: number, wallUs: number, other?: LentFrom): number | undefined {
    const hold = this.#holds.get(momentUs);
    const part = this.find(momentUs, limit, us, wallUs);
    if (hold === undefined || part === undefined) return undefined;
    const lease = other ?? part.lease;
    if (!lease.lastsAt(us, wallUs)) return undefined;
    if (other !== undefined) part.lease.takeBack(limit, 1);
    const { next, nextUs } = this.#nextOf(hold, us, wallUs);
    next.parts.push({ lease, limit, count: 1 });
    part.count -= 1;
    this.#forgetEmpty(momentUs, hold);
    return nextUs;
  }

  /** Frees so many places of a limit, or fewer. */
  free(momentUs: number, limit: number, count: number): void {
    const hold = this.#holds.get(momentUs);
    if (hold === undefined) return;
    let rest = count;
    for (const part of hold.parts) {
      const freed = part.limit === limit ? Math.min(rest, part.count) : 0;
      if (freed > 0) part.lease.takeBack(limit, freed);
      part.count -= freed;
      rest -= freed;
    }
    this.#forgetEmpty(momentUs, hold);
  }

  /** Frees the places of calls that have neither freed nor renewed them. */
  expire(us: number): void {
    for (const [momentUs, hold] of this.#holds) {
      if (us - hold.lastUs < this.#longestUs) return;
      for (const { lease, limit, count } of hold.parts) lease.takeBack(limit, count);
      this.#forget(momentUs);
    }
  }

  /** Forgets the places of a lease: they are other calls'. */
  lose(lease: LentFrom): void {
    for (const [momentUs, hold] of this.#holds) {
      hold.parts = hold.parts.filter((part) => part.lease !== lease);
      this.#forgetEmpty(momentUs, hold);
    }
  }

  clear(): void {
    for (const momentUs of this.#holds.keys()) this.#forget(momentUs);
  }

  #nextOf(hold: Hold, us: number, wallUs: number): { next: Hold; nextUs: number } {
    const known = hold.nextUs === undefined ? undefined : this.#holds.get(hold.nextUs);
    if (hold.nextUs !== undefined && known !== undefined) return { next: known, nextUs: hold.nextUs };
    const next = { parts: [], us, wallUs, lastUs: us, nextUs: undefined };
    hold.nextUs = this.add(next);
    return { next, nextUs: hold.nextUs };
  }

  #forgetEmpty(momentUs: number, { parts }: Hold): void {
    if (parts.every(({ count }) => count === 0)) this.#forget(momentUs);
  }

  #forget(momentUs: number): void {
    this.#holds.delete(momentUs);
    this.#holders.remove(momentUs);
  }
}
