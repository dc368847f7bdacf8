import type { SharedStore } from "tollgate/shared";
import { MOST_TABLES, TABLE_ROW, TABLES_AT } from "../../../../src/stores/shared/memory-layout.ts";
import { SharedTable } from "../../../../src/stores/shared/shared-table.ts";
import { WRITE_SLOT_WORDS, WRITE_SLOTS } from "../../../../src/stores/shared/write-slots.ts";

/** A write slot's first word is its phase, which is odd while a thread occupies it. */
const OCCUPIED = 1;

/**
 * The occupied write slots of all tables of several cells, by index and phase. While no thread is in a call, each of
 * them belongs to a thread that died while it replaced a key's cells.
 */
export function occupiedWriteSlots({ handle, maxKeys }: SharedStore): string[] {
  const { memory } = handle;
  const words = new Int32Array(memory instanceof SharedArrayBuffer ? memory : memory.buffer);
  const occupied: string[] = [];
  for (let row = 0; row < MOST_TABLES; row += 1) {
    const width = words[TABLES_AT + row * TABLE_ROW]!;
    if (width === 0) break;
    if (width === 1) continue;
    // Write slots begin where a table of one cell would end.
    const at = SharedTable.end(words[TABLES_AT + row * TABLE_ROW + 1]!, { width: 1, maxKeys, writeSlots: WRITE_SLOTS });
    for (let index = 0; index < WRITE_SLOTS; index += 1) {
      const writeSlot = at + index * WRITE_SLOT_WORDS;
      if ((words[writeSlot]! & OCCUPIED) !== 0) occupied.push(`${writeSlot} ${words[writeSlot]!}`);
    }
  }
  return occupied;
}
