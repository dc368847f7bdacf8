import { SLOTS_PER_SET, setsFor } from "../local/table-size.ts";
import { BlockValues } from "./block-values.ts";
import { lineAt } from "./memory-layout.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { SharedSlots, SLOT_WORDS } from "./shared-slots.ts";
import { SlotClaims } from "./slot-claims.ts";
import { SlotSearch } from "./slot-search.ts";
import type { SlotValues } from "./slot-values.ts";
import { TickValues } from "./tick-values.ts";
import { WriteSlots } from "./write-slots.ts";

/** The two runs of adjacent sets in which a key may lie must not overlap. */
const FEWEST_SETS = 8;
/** As many slots as the overflow buckets of 32 plans. */
const MOST_OVERFLOW_SETS = 2048;
/** Small stores have as many sets for buckets as for keys, but at least enough for four plans. */
const FEWEST_OVERFLOW_SETS = 256;

/** A part of a table's slots, with the claims on them and the search for keys of other plans. */
export interface SlotRange {
  readonly slots: SharedSlots;
  readonly claims: SlotClaims;
  readonly search: SlotSearch;
}

/** What decides how much memory a table takes. */
export interface TableShape {
  /** Cells of each key. */
  readonly width: number;
  readonly maxKeys: number;
  /** 0 in memory of one thread. */
  readonly writeSlots: number;
}

/** The keys of all plans of one width. */
export class SharedTable {
  /** Cells of each key. */
  readonly width: number;
  readonly values: SlotValues;
  /** For keys with cells of their own. */
  readonly keys: SlotRange;
  /** For overflow buckets. */
  readonly buckets: SlotRange;

  constructor(memory: SharedMemory, rows: PlanNumbers, at: number, shape: TableShape, thread: number) {
    const { sets, overflowSets, slotCount, planNumbersAt, usedBlocksAt, writeSlotsAt, blocksAt } = partsOf(at, shape);
    const { width } = shape;
    const writeSlots =
      shape.writeSlots === 0 ? undefined : new WriteSlots(memory, writeSlotsAt, slotCount, shape.writeSlots, thread);
    this.width = width;
    this.values =
      width === 1
        ? new TickValues(memory, rows)
        : new BlockValues(memory, writeSlots, at, slotCount, blocksAt / 2, width, rows);
    const { permanentBits } = this.values;
    const rangeOf = (fromSlot: number, setCount: number, usedAt: number): SlotRange => {
      const from = at + fromSlot * SLOT_WORDS;
      const slots = new SharedSlots(memory, from, setCount, planNumbersAt + fromSlot, usedAt, permanentBits);
      return { slots, claims: new SlotClaims(slots, memory, permanentBits), search: new SlotSearch(slots, memory) };
    };
    this.keys = rangeOf(0, sets, usedBlocksAt);
    this.buckets = rangeOf(sets * SLOTS_PER_SET, overflowSets, usedBlocksAt + SharedSlots.usedBlocksWords(sets));
  }

  /** The first word after a table, where the next one may begin. */
  static end(at: number, shape: TableShape): number {
    const { blocksAt, slotCount } = partsOf(at, shape);
    const { width, writeSlots } = shape;
    return lineAt(blocksAt + (width === 1 ? 0 : 2 * BlockValues.numbers(slotCount, writeSlots, width)));
  }
}

function partsOf(at: number, { width, maxKeys, writeSlots }: TableShape) {
  const sets = Math.max(FEWEST_SETS, setsFor(maxKeys));
  const overflowSets = Math.min(Math.max(sets, FEWEST_OVERFLOW_SETS), MOST_OVERFLOW_SETS);
  const slotCount = (sets + overflowSets) * SLOTS_PER_SET;
  const planNumbersAt = at + slotCount * SLOT_WORDS;
  const usedBlocksAt = planNumbersAt + slotCount;
  const usedBlocksWords = SharedSlots.usedBlocksWords(sets) + SharedSlots.usedBlocksWords(overflowSets);
  const writeSlotsAt = lineAt(usedBlocksAt + usedBlocksWords);
  const blocksAt = lineAt(writeSlotsAt + (width === 1 ? 0 : writeSlots));
  return { sets, overflowSets, slotCount, planNumbersAt, usedBlocksAt, writeSlotsAt, blocksAt };
}
