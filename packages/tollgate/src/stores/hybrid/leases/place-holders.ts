import type { Report } from "../../../core/report.ts";

/** What gave places to calls, and can free and keep them. */
export interface PlaceHolder {
  /** Frees so many places of each limit that were taken at a moment. */
  freePlaces(momentUs: number, counts: readonly number[]): void;
  /** Keeps one place of each limit whose moment is not 0. */
  renewPlaces(momentsUs: readonly number[]): Promise<Report>;
}

/** Below the server's moments, which are whole microseconds. */
const HALF = 0.5;

/** Whether a moment identifies places that this process gave to a call. The server's moments are whole microseconds. */
export function isLocalMoment(us: number): boolean {
  return !Number.isInteger(us);
}

/** What gave places to the calls of this process, by the moments that identify these. */
export class PlaceHolders {
  readonly #holders = new Map<number, PlaceHolder>();
  #lastUs = Number.NEGATIVE_INFINITY;

  /** @returns a moment near the given one, which identifies the places that a call takes now. */
  add(holder: PlaceHolder, us: number): number {
    this.#lastUs = Math.max(this.#lastUs + 1, Math.floor(us) + HALF);
    this.#holders.set(this.#lastUs, holder);
    return this.#lastUs;
  }

  find(momentUs: number): PlaceHolder | undefined {
    return this.#holders.get(momentUs);
  }

  remove(momentUs: number): void {
    this.#holders.delete(momentUs);
  }
}
