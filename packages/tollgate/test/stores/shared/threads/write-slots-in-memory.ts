import type { SharedStore } from "tollgate/shared";
import type * as desks from "../../../../src/stores/shared/write-slots.ts";
import type * as layout from "../../../../src/stores/shared/memory-layout.ts";
import type * as table from "../../../../src/stores/shared/shared-table.ts";
import { DIST } from "./library.ts";

const SHARED = `${DIST}/stores/shared`;
const { DESKS, DESK_WORDS } = (await import(`${SHARED}/desks.js`)) as typeof desks;
const { MOST_TABLES, TABLE_ROW, TABLES_AT } = (await import(`${SHARED}/layout.js`)) as typeof layout;
const { SharedTable } = (await import(`${SHARED}/shared-table.js`)) as typeof table;

/** A desk's phase is its first word, and odd while somebody is there. */
const OCCUPIED = 1;

/**
 * Where somebody is, by desk and phase, in all tables of several cells. Once no thread is in a call, all of these died there, in the middle of
 * replacing a key's cells.
 */
export function occupiedDesks(store: SharedStore): string[] {
  const { words, desks } = desksOf(store);
  return desks.filter((desk) => (words[desk]! & OCCUPIED) !== 0).map((desk) => `${desk} ${words[desk]!}`);
}

function desksOf({ handle, maxKeys }: SharedStore): { readonly words: Int32Array; readonly desks: readonly number[] } {
  const { memory } = handle;
  const words = new Int32Array(memory instanceof SharedArrayBuffer ? memory : memory.buffer);
  const desks: number[] = [];
  for (let row = 0; row < MOST_TABLES; row += 1) {
    const width = words[TABLES_AT + row * TABLE_ROW]!;
    if (width === 0) break;
    if (width === 1) continue;
    // Where a table of one cell would end, others have their desks.
    const at = SharedTable.end(words[TABLES_AT + row * TABLE_ROW + 1]!, 1, maxKeys);
    for (let desk = 0; desk < DESKS; desk += 1) desks.push(at + desk * DESK_WORDS);
  }
  return { words, desks };
}
