import { BlockValues } from "./block-values.ts";
import { DESK_WORDS, DESKS, Desks } from "./write-slots.ts";
import { lineAt } from "./memory-layout.ts";
import type { SharedMemory } from "./shared-memory.ts";
import type { PlanRows } from "./plan-rows.ts";
import { SLOT_WORDS, SLOTS_PER_SET, Slots } from "./shared-slots.ts";
import { TickValues } from "./tick-values.ts";
import type { Values } from "./slot-values.ts";

/**
 * Slots for each key that there has to be room for: with so many, each of ten million keys finds one. More would lie on more pages, and to
 * find a page costs more than to look at another slot.
 */
const SLOTS_PER_KEY = 2.2;
/** So that a key's sets differ. */
const FEWEST_SETS = 8;
/** For the overflow buckets of 32 plans at a time, most of which are in use. */
const OVERFLOW_SETS = 2048;

/** The keys of all plans of one width. */
export class SharedTable {
  /** Cells of each key. */
  readonly width: number;
  readonly values: Values;
  /** Where keys have their own cells. */
  readonly slots: Slots;
  /** Where overflow buckets do. */
  readonly buckets: Slots;

  constructor(memory: SharedMemory, rows: PlanRows, at: number, width: number, maxKeys: number, thread: number) {
    const { sets, ownersAt, desksAt, blocksAt } = partsOf(at, width, maxKeys);
    const slotCount = (sets + OVERFLOW_SETS) * SLOTS_PER_SET;
    const desks = new Desks(memory, desksAt, slotCount, thread);
    this.width = width;
    this.values =
      width === 1 ? new TickValues(memory, rows) : new BlockValues(memory, desks, at, slotCount, blocksAt / 2, width);
    const { lasting } = this.values;
    const keySlots = sets * SLOTS_PER_SET;
    this.slots = new Slots(memory, at, sets, ownersAt, lasting);
    this.buckets = new Slots(memory, at + keySlots * SLOT_WORDS, OVERFLOW_SETS, ownersAt + keySlots, lasting);
  }

  /** Where the next table could begin. */
  static end(at: number, width: number, maxKeys: number): number {
    const { blocksAt, slotCount } = partsOf(at, width, maxKeys);
    return lineAt(blocksAt + (width === 1 ? 0 : 2 * BlockValues.numbers(slotCount, width)));
  }
}

interface Parts {
  readonly sets: number;
  readonly slotCount: number;
  readonly ownersAt: number;
  readonly desksAt: number;
  readonly blocksAt: number;
}

function partsOf(at: number, width: number, maxKeys: number): Parts {
  const sets = Math.max(FEWEST_SETS, Math.ceil((maxKeys * SLOTS_PER_KEY) / SLOTS_PER_SET));
  const slotCount = (sets + OVERFLOW_SETS) * SLOTS_PER_SET;
  const ownersAt = at + slotCount * SLOT_WORDS;
  const desksAt = lineAt(ownersAt + slotCount);
  return { sets, slotCount, ownersAt, desksAt, blocksAt: desksAt + (width === 1 ? 0 : DESKS * DESK_WORDS) };
}
