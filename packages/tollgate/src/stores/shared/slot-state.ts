// The state of a slot is a pair of words. The upper one: a generation (10 bits), and above it 22 bits that are 0 unless a key lives in
// the slot. What the rest says is for the values to know (tick-values.ts, block-values.ts), but for the lowest bit where none lives.

const GENERATION_BITS = 10;
export const GENERATION_MASK: number = 2 ** GENERATION_BITS - 1;
/** How many values the 22 bits above the generation have. */
export const UPPER_VALUES: number = 2 ** (32 - GENERATION_BITS);

/** The state of memory that nobody has written: the generation is 0, and never again. */
export const NEVER_USED = 0;
/** The lower word's lowest bit where no key lives: somebody is putting a new one in, or died over it. */
export const TAKEN = 1;

/** The 22 upper bits: 0 where no key lives. */
export function upperOf(high: number): number {
  return high >>> GENERATION_BITS;
}

export function withUpper(upper: number, high: number): number {
  return (upper << GENERATION_BITS) | (high & GENERATION_MASK);
}

/** The upper word of a slot whose key has changed: no key lives there yet. */
export function nextGeneration(high: number): number {
  const generation = high & GENERATION_MASK;
  return generation === GENERATION_MASK ? 1 : generation + 1;
}
