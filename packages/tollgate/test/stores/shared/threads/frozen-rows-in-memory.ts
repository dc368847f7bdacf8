import type { SharedStore } from "tollgate/shared";
import { MOST_TABLES, TABLE_ROW, TABLES_AT } from "../../../../src/stores/shared/memory-layout.ts";
import { SLOT_WORDS, STATE } from "../../../../src/stores/shared/shared-slots.ts";
import { GENERATION_MASK, previousGeneration, upperBits } from "../../../../src/stores/shared/slot-state.ts";

/**
 * How many keys of a store have been frozen and not yet moved. While no thread is in a call, a thread has died on the
 * way of each.
 */
export function frozenRows({ handle, maxKeys }: SharedStore): number {
  const { memory } = handle;
  const words = new Int32Array(memory instanceof SharedArrayBuffer ? memory : memory.buffer);
  let frozen = 0;
  for (let row = 0; row < MOST_TABLES && words[TABLES_AT + row * TABLE_ROW] !== 0; row += 1) {
    const at = words[TABLES_AT + row * TABLE_ROW + 1]!;
    for (let slot = at; slot < at + maxKeys * SLOT_WORDS; slot += SLOT_WORDS) {
      const high = words[slot + STATE + 1]!;
      const isFrozen = (words[slot]! & GENERATION_MASK) === previousGeneration(high);
      if (upperBits(high) !== 0 && isFrozen) frozen += 1;
    }
  }
  return frozen;
}
