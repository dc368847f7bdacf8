const FEWEST_SLOTS = 8;
/** The least growth for each slot, where there are not enough bytes for all that are wanted. */
const LEAST_GROWTH = 1 / 8;
/** Making, copying or restating a chunk of this size takes a part of a millisecond. */
const MOST_SLOTS_PER_CHUNK = 2 ** 12;
const MOST_BYTES_PER_CHUNK = 2 ** 18;

/** The slots of a whole chunk: a power of two. */
export function slotsPerChunk(bytesPerSlot: number): number {
  const most = Math.min(MOST_SLOTS_PER_CHUNK, Math.max(1, Math.floor(MOST_BYTES_PER_CHUNK / bytesPerSlot)));
  return 2 ** (31 - Math.clz32(most));
}

/**
 * The fewest slots to which the last chunk of a full table grows. If all chunks are whole, that is the size of a new
 * one.
 */
export function leastSlots(tableSlots: number, wholeChunk: number): number {
  const growth = Math.max(1, Math.floor(Math.min(tableSlots, wholeChunk) * LEAST_GROWTH));
  return Math.min(wholeChunk, (tableSlots % wholeChunk) + growth);
}

/**
 * The slots to which the last chunk of a full table grows: the first chunk doubles, later ones are whole at once. Fewer
 * if only `most` fit beside the old ones.
 */
export function grownSlots(tableSlots: number, wholeChunk: number, most: number): number {
  const wanted = Math.min(wholeChunk, Math.max(FEWEST_SLOTS, 2 * tableSlots));
  return Math.max(leastSlots(tableSlots, wholeChunk), Math.min(most, wanted));
}

/** The slots that a table with `keys` keys has use for: some spare ones save it from growing again soon. */
export function usefulSlots(keys: number, wholeChunk: number): number {
  return Math.max(FEWEST_SLOTS, keys + Math.min(keys, wholeChunk));
}
