// The size of tables in sets of slots, of one thread or of several.

/** A search reads a set at a time. With one cell a slot, a set is 64 bytes: one cache line. */
export const SLOTS_PER_SET = 4;
/**
 * Slots for each key of `maxKeys`. At this load most keys lie in their first set, and each of ten million keys finds a
 * slot. With more slots, memory pages are missed more often, which costs more than reading another set.
 */
const SLOTS_PER_KEY = 2.2;
/** By default a store has memory for limits of up to this many cells a key. */
export const DEFAULT_WIDTH = 8;

/** How many sets `maxKeys` keys need. */
export function setsFor(maxKeys: number): number {
  return Math.ceil((maxKeys * SLOTS_PER_KEY) / SLOTS_PER_SET);
}
