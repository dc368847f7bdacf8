const FEWEST_SLOTS = 8;
/** The least growth for each slot, where there are not enough bytes for twice the slots. */
const LEAST_GROWTH = 1 / 8;

/** The fewest slots to which a full table of `slots` grows. */
export function leastSlotsBeyond(slots: number): number {
  return slots + Math.max(1, Math.floor(slots * LEAST_GROWTH));
}

/** The slots to which a full table grows: twice as many, or fewer if only `most` fit beside the old ones. */
export function grownSlots(slots: number, most: number): number {
  return Math.max(leastSlotsBeyond(slots), Math.min(most, Math.max(FEWEST_SLOTS, 2 * slots)));
}

/** The slots that a table with `keys` keys shrinks to; `allocated` if shrinking would not halve it. */
export function shrunkSlots(keys: number, allocated: number): number {
  const slots = Math.max(FEWEST_SLOTS, 2 * keys);
  return 2 * slots <= allocated ? slots : allocated;
}
