// The state of a slot is a pair of words. The upper word has the slot's generation in its lowest 10 bits. Its upper 22
// bits are 0 while the slot has no key. All other bits belong to the slot's values (tick-values.ts, block-values.ts).
// While the slot has no key, the lowest bit of the lower word says whether a thread has claimed it.

const GENERATION_BITS = 10;
export const GENERATION_MASK: number = 2 ** GENERATION_BITS - 1;
/** How many values the 22 bits above the generation have. */
export const UPPER_VALUES: number = 2 ** (32 - GENERATION_BITS);

/** The upper word of a slot that no thread has ever claimed. Generation 0 never comes again. */
export const NEVER_USED = 0;
/** The lowest bit of the lower word, while the slot has no key: a thread is inserting one, or died doing so. */
export const CLAIMED = 1;

/** The 22 bits above the generation: 0 while the slot has no key. */
export function upperBits(high: number): number {
  return high >>> GENERATION_BITS;
}

export function withUpperBits(upper: number, high: number): number {
  return (upper << GENERATION_BITS) | (high & GENERATION_MASK);
}

/** The upper word of a state without a key, one generation later. */
export function nextGeneration(high: number): number {
  const generation = high & GENERATION_MASK;
  return generation === GENERATION_MASK ? 1 : generation + 1;
}

/** The generation before the one of this upper word. */
export function previousGeneration(high: number): number {
  const generation = high & GENERATION_MASK;
  return generation === 1 ? GENERATION_MASK : generation - 1;
}

/** The upper word of the same cells, frozen: one generation later, so that only a search for frozen keys finds them. */
export function frozen(high: number): number {
  return withUpperBits(upperBits(high), nextGeneration(high));
}
