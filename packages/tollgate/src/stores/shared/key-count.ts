import type { SharedSlots } from "./shared-slots.ts";

/** So many blocks of slots take less than a millisecond. */
const BLOCKS_PER_SLICE = 2 ** 12;

/** The next turn of the event loop. Timers of 0 ms take a millisecond. */
const nextTurn: (work: () => void) => void =
  (globalThis as { readonly setImmediate?: (work: () => void) => void }).setImmediate ??
  ((work) => setTimeout(work, 0));

/** Counts the slots that have a key, in several turns of the event loop if there are many. */
export async function countKeys(ranges: readonly SharedSlots[]): Promise<number> {
  let count = 0;
  for (const slots of ranges) {
    for (let from = 0; from < slots.blocks; from += BLOCKS_PER_SLICE) {
      if (from > 0) await new Promise<void>(nextTurn);
      count += slots.countIn(from, Math.min(slots.blocks, from + BLOCKS_PER_SLICE));
    }
  }
  return count;
}
