import { TollgateError } from "../../core/errors.ts";
import { HEADER_WORDS, MOST_BYTES, MOST_TABLES, TABLE_ROW, TABLES_AT } from "./memory-layout.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import { BLOCKED_WIDTH } from "./shared-blocked-keys.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { SharedTable, type TableShape } from "./shared-table.ts";
import type { Tables } from "./slot-store.ts";
import { WRITE_SLOTS } from "./write-slots.ts";

/** Stands for a width in the row of the table with blocked keys, whose width limits may have as well. */
const BLOCKED = -1;
/** That table is small: most keys are never blocked. */
const MOST_BLOCKED = 2 ** 15;

/** The tables of a store, one for each width (the number of cells of a key), one after another in memory. */
export class TableDirectory implements Tables {
  readonly #memory: SharedMemory;
  readonly #rows: PlanNumbers;
  readonly #maxKeys: number;
  readonly #thread: number;
  readonly #tables = new Map<number, SharedTable>();

  constructor(memory: SharedMemory, rows: PlanNumbers, maxKeys: number, thread: number) {
    this.#memory = memory;
    this.#rows = rows;
    this.#maxKeys = maxKeys;
    this.#thread = thread;
  }

  tableOf(width: number): SharedTable {
    const known = this.#tables.get(width);
    if (known !== undefined) return known;
    const at = this.#place(width);
    const table = new SharedTable(this.#memory, this.#rows, at, this.#shapeOf(width), this.#thread);
    this.#tables.set(width, table);
    return table;
  }

  /** The table for blocked keys. Throws as `tableOf`. */
  blockedKeys(): SharedTable {
    return this.tableOf(BLOCKED);
  }

  /** The table for blocked keys, if there is one. */
  get madeForBlocked(): SharedTable | undefined {
    return this.#widths().includes(BLOCKED) ? this.blockedKeys() : undefined;
  }

  /** All tables, whichever thread has made them. */
  all(): SharedTable[] {
    return this.#widths().map((width) => this.tableOf(width));
  }

  get bytes(): number {
    let end = HEADER_WORDS;
    for (const width of this.#widths()) end = this.#endOf(end, width);
    return end * Int32Array.BYTES_PER_ELEMENT;
  }

  #shapeOf(width: number): TableShape {
    const maxKeys = this.#maxKeys;
    return width === BLOCKED
      ? { width: BLOCKED_WIDTH, maxKeys: Math.min(maxKeys, MOST_BLOCKED), writeSlots: WRITE_SLOTS }
      : { width, maxKeys, writeSlots: WRITE_SLOTS };
  }

  #endOf(at: number, width: number): number {
    return SharedTable.end(at, this.#shapeOf(width));
  }

  #widths(): number[] {
    const rows = Array.from({ length: MOST_TABLES }, (_, row) => this.#memory.words[TABLES_AT + row * TABLE_ROW]!);
    return rows.slice(0, rows.includes(0) ? rows.indexOf(0) : MOST_TABLES);
  }

  #place(width: number): number {
    const { words } = this.#memory;
    let at = HEADER_WORDS;
    for (let row = 0; row < MOST_TABLES; row += 1) {
      const word = TABLES_AT + row * TABLE_ROW;
      const end = this.#endOf(at, width);
      // Another thread may make a table at the same time: the row belongs to the thread whose swap succeeds.
      const isFree = words[word] === 0;
      if (isFree && end > words.length) throw this.#tooLittleMemoryError(width, end - words.length);
      if (isFree && this.#memory.swap(word, 0, 0, width, at)) return at;
      const other = words[word]!;
      if (other === width) return at;
      at = this.#endOf(at, other);
    }
    throw new TollgateError(
      "ERR_LIMITS",
      `limits: expected at most ${MOST_TABLES} different numbers of cells a key in one shared store, ` +
        `got another of ${width}`,
    );
  }

  #tooLittleMemoryError(width: number, missingWords: number): TollgateError {
    const shape = this.#shapeOf(width);
    const { byteLength } = this.#memory.words;
    const needed = byteLength + 4 * missingWords;
    const advice =
      needed > MOST_BYTES
        ? `${needed} bytes are more than maxBytes allows: pass fewer maxKeys or a coarser resolution`
        : `pass sharedStore({ maxBytes: ${needed} }) or more, fewer maxKeys, or a coarser resolution`;
    return new TollgateError(
      "ERR_LIMITS",
      `limits: expected room in the shared store for ${shape.maxKeys} keys of ${shape.width} cells, ` +
        `got ${byteLength} bytes for all limiters; ${advice}`,
    );
  }
}
