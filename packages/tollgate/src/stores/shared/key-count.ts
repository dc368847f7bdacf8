import { NOWHERE, type SharedSlots } from "./shared-slots.ts";

/** So many keys take less than a millisecond. */
const KEYS_PER_SLICE = 2 ** 15;

/** The next turn of the event loop. Timers of 0 ms take a millisecond. */
const nextTurn: (work: () => void) => void =
  (globalThis as { readonly setImmediate?: (work: () => void) => void }).setImmediate ??
  ((work) => setTimeout(work, 0));

/** Counts the slots that have a key, in several turns of the event loop if there are many. */
export async function countKeys(ranges: readonly SharedSlots[]): Promise<number> {
  let count = 0;
  for (const slots of ranges) {
    for (let slot = slots.firstKey(); slot !== NOWHERE; slot = slots.nextKey(slot)) {
      count += 1;
      if (count % KEYS_PER_SLICE === 0) await new Promise<void>(nextTurn);
    }
  }
  return count;
}
