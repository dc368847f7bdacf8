import { TollgateError } from "../../core/errors.ts";
import type { Capacity } from "../local/capacity.ts";
import { MOST_BYTES, ownHeaderWords } from "../shared/memory-layout.ts";
import type { PlanNumbers } from "../shared/plan-rows.ts";
import { SharedTable, type TableShape } from "../shared/shared-table.ts";
import type { Tables } from "../shared/slot-store.ts";
import { PrivateMemory } from "./private-memory.ts";

/** The tables of a store of one thread, each in memory of its own. */
export class PrivateTables implements Tables {
  readonly #capacity: Capacity;
  readonly #plans: PlanNumbers;
  readonly #tables = new Map<number, SharedTable>();
  /** The widths of small tables. */
  readonly #small = new Set<number>();

  constructor(capacity: Capacity, plans: PlanNumbers) {
    this.#capacity = capacity;
    this.#plans = plans;
    capacity.bytes += bytesOf(ownHeaderWords(capacity.mostResets));
  }

  /** The bytes of a table for keys of this width. */
  static bytes(maxKeys: number, width: number): number {
    return bytesOf(SharedTable.end(0, shapeOf(maxKeys, width)));
  }

  /** Makes the table for fixed limits. Throws as `tableOf`. */
  makeFor(width: number): void {
    if (!this.#tables.has(width)) this.#make(this.#capacity.maxKeys, width);
    if (this.#small.has(width)) throw tooFewBytesError(this.#capacity, width);
  }

  /** If limits chosen per call do not fit, there is a small table, in which most of their keys share buckets. */
  tableOf(width: number): SharedTable {
    const known = this.#tables.get(width);
    if (known !== undefined) return known;
    const { maxKeys } = this.#capacity;
    if (this.#fits(maxKeys, width)) return this.#make(maxKeys, width);
    const small = this.#make(1, width);
    this.#small.add(width);
    return small;
  }

  #fits(maxKeys: number, width: number): boolean {
    const { maxBytes, bytes } = this.#capacity;
    return PrivateTables.bytes(maxKeys, width) <= maxBytes - bytes;
  }

  #make(maxKeys: number, width: number): SharedTable {
    const shape = shapeOf(maxKeys, width);
    if (!this.#fits(maxKeys, width)) throw tooFewBytesError(this.#capacity, width);
    const bytes = PrivateTables.bytes(maxKeys, width);
    const table = new SharedTable(allocate(bytes / 4, shape), this.#plans, 0, shape, 0);
    this.#capacity.bytes += bytes;
    this.#tables.set(width, table);
    return table;
  }

  all(): readonly SharedTable[] {
    return [...this.#tables.values()];
  }

  get bytes(): number {
    return this.#capacity.bytes;
  }

  /** The numbers of the plans that have keys or overflow buckets. */
  numbersInUse(): Set<number> {
    const numbers = new Set<number>();
    for (const { keys, buckets } of this.#tables.values()) {
      for (const { slots } of [keys, buckets]) slots.eachKey((slot) => numbers.add(slots.planOf(slot)));
    }
    return numbers;
  }
}

function shapeOf(maxKeys: number, width: number): TableShape {
  return { width, maxKeys, writeSlots: 0 };
}

function bytesOf(words: number): number {
  return words * Int32Array.BYTES_PER_ELEMENT;
}

/** @throws TollgateError `ERR_LIMITS` if one array cannot have so much memory. */
function allocate(words: number, { width, maxKeys }: TableShape): PrivateMemory {
  if (bytesOf(words) <= MOST_BYTES) {
    try {
      return new PrivateMemory(words);
    } catch {
      // The error below says how much memory was needed.
    }
  }
  throw new TollgateError(
    "ERR_LIMITS",
    `limits: expected a table of at most ${MOST_BYTES} bytes, and as much free memory, ` +
      `got ${bytesOf(words)} bytes for ${maxKeys} keys of ${width} cells; ` +
      "use fewer keys, fewer limits or a coarser resolution, or memoryStore()",
  );
}

function tooFewBytesError({ maxKeys, maxBytes, bytes }: Capacity, width: number): TollgateError {
  const needed = PrivateTables.bytes(maxKeys, width);
  return new TollgateError(
    "ERR_LIMITS",
    `limits: expected slots of at most ${maxBytes - bytes} bytes, which are left of maxBytes (${maxBytes}), ` +
      `got ${needed} bytes for ${maxKeys} keys of ${width} cells; pass ` +
      `tableStore({ maxBytes: ${bytes + needed} }) or more, fewer maxKeys or limits, a coarser resolution, ` +
      "or use memoryStore()",
  );
}
