import type { SharedStore } from "tollgate/shared";
import { MOST_TABLES, TABLE_ROW, TABLES_AT } from "../../../../src/stores/shared/memory-layout.ts";
import { SharedTable } from "../../../../src/stores/shared/shared-table.ts";
import { WRITE_SLOTS } from "../../../../src/stores/shared/write-slots.ts";

/** What a write slot has in place of a block's number while a thread occupies it. */
const OCCUPIED = -1;

/**
 * The number of occupied write slots of all tables of several cells. While no thread is in a call, each of them belongs
 * to a thread that died while it replaced a key's cells.
 */
export function countOccupiedWriteSlots({ handle, maxKeys }: SharedStore): number {
  const { memory } = handle;
  const words = new Int32Array(memory instanceof SharedArrayBuffer ? memory : memory.buffer);
  let occupied = 0;
  for (let row = 0; row < MOST_TABLES; row += 1) {
    const width = words[TABLES_AT + row * TABLE_ROW]!;
    if (width === 0) break;
    if (width === 1) continue;
    // Write slots begin where a table of one cell would end.
    const at = SharedTable.end(words[TABLES_AT + row * TABLE_ROW + 1]!, { width: 1, maxKeys, writeSlots: WRITE_SLOTS });
    occupied += words.subarray(at, at + WRITE_SLOTS).filter((word) => word === OCCUPIED).length;
  }
  return occupied;
}
