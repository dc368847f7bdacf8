/**
 * Replacing a key in a front cache costs more than a lookup, and frequent keys come again. So only one of so many
 * misses replaces, and fewer after a key with many units to copy.
 */
const CROWDED_OUT_PER_NEW_KEY = 4;
const UNITS_PER_CROWDED_OUT = 8;

/** Counts keys that found no free place in a front cache, and says when one of them replaces another. */
export class Replacements {
  #crowdedOutUntilNext = CROWDED_OUT_PER_NEW_KEY;

  get areDue(): boolean {
    return this.#crowdedOutUntilNext <= 0;
  }

  noteCrowdedOut(): void {
    this.#crowdedOutUntilNext -= 1;
  }

  /** One is due now: the other key can no longer be found. */
  hasten(): void {
    this.#crowdedOutUntilNext -= CROWDED_OUT_PER_NEW_KEY;
  }

  noteReplaced(own: string): void {
    this.#crowdedOutUntilNext = CROWDED_OUT_PER_NEW_KEY + own.length / UNITS_PER_CROWDED_OUT;
  }
}
