import { textBytes } from "../../core/text-memory.ts";
import type { Budget } from "./capacity.ts";
import { LONGEST_TAGGED, POSITIONS_BYTES } from "./key-tag.ts";

/** The string of a free place. It is shorter than any key that is cached. */
export const NONE = "";

/** The array elements of a place: a string's address and a tag. */
const BYTES_PER_PLACE = 8 + 4;
/** The most bytes that a new key takes: its text with a header, and the positions learned from it. */
const MOST_BYTES_PER_KEY = 16 + 2 * LONGEST_TAGGED + POSITIONS_BYTES;

const UNBOUNDED: Budget = { canSpare: () => true, charge: () => {} };

/** What a front cache charges to its table for places and strings. */
export class CacheBudget {
  readonly #bytesPerPlace: number;
  readonly #budget: Budget;
  /** The bytes of a string that only the cache keeps. */
  readonly #textBytes: (text: string) => number;

  constructor(valuesPerPlace: number, budget: Budget | undefined, ownsTexts: boolean) {
    this.#bytesPerPlace = BYTES_PER_PLACE + Int32Array.BYTES_PER_ELEMENT * valuesPerPlace;
    this.#budget = budget ?? UNBOUNDED;
    this.#textBytes = ownsTexts ? textBytes : () => 0;
  }

  get canSpareKey(): boolean {
    return this.#budget.canSpare(MOST_BYTES_PER_KEY);
  }

  /** While new places are filled, the old ones exist as well. */
  canSparePlaces(places: number): boolean {
    return this.#budget.canSpare(places * this.#bytesPerPlace);
  }

  chargePlaces(places: number): void {
    this.#budget.charge(places * this.#bytesPerPlace);
  }

  chargePositions(): void {
    this.#budget.charge(POSITIONS_BYTES);
  }

  /** A place gets a string, or none, in place of another. */
  chargeText(own: string, other: string): void {
    this.#budget.charge(this.#bytesOf(own) - this.#bytesOf(other));
  }

  #bytesOf(key: string): number {
    return key === NONE ? 0 : this.#textBytes(key);
  }
}
