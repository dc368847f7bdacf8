import { type BlockChange, isInForce, isOver, type KeyBlock, type SyncBlocks } from "../../core/blocks.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Scope } from "../../core/plan.ts";
import { decodeReason, encodeReason } from "../../core/reason-numbers.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { KeyFingerprints } from "./key-fingerprints.ts";
import { BLOCKED_AT } from "./memory-layout.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { NOWHERE, STATE } from "./shared-slots.ts";
import type { SharedTable } from "./shared-table.ts";
import type { IsIdle } from "./slot-claims.ts";
import { upperBits } from "./slot-state.ts";
import { PUBLISHED, RETRY } from "./slot-values.ts";

/** The end of the block, the offences and the moment at which they are forgotten come before the reason. */
const REASON_AT = 3;
/** A reason of 100 characters has so many numbers. */
const REASON_CELLS = 34;
/** The cells of a blocked key. */
export const BLOCKED_WIDTH: number = REASON_AT + REASON_CELLS;
/** How often a change tries to get a slot. */
const MOST_TRIES = 64;

/** What the blocked keys of all scopes have in common. */
export interface BlockedKeysParts {
  readonly memory: SharedMemory;
  readonly rows: PlanNumbers;
  readonly secret: Int32Array;
  /** Makes the table if it does not exist. Throws if there is not enough memory for it. */
  readonly table: () => SharedTable;
}

/**
 * The blocked keys of a scope in memory that threads share: a table of their own, in which a key is in use until its
 * offences are forgotten. A change is published by a swap, as any other cells.
 */
export class SharedBlockedKeys implements SyncBlocks {
  readonly limiter: string;
  readonly some: Int32Array;
  readonly #parts: BlockedKeysParts;
  readonly #fingerprints: KeyFingerprints;
  #number: number | undefined;
  #table: SharedTable | undefined;
  readonly #now = createTimeCell();
  readonly #isIdle: IsIdle = (slot, low, high) => this.#tableMade.values.isIdle(slot, low, high, 0, this.#now);

  constructor(scope: Scope, limiter: string, parts: BlockedKeysParts) {
    const { memory, secret } = parts;
    this.limiter = limiter;
    this.some = memory.words.subarray(BLOCKED_AT, BLOCKED_AT + 1);
    this.#parts = parts;
    // No plan has this id.
    this.#fingerprints = new KeyFingerprints(secret, { scope, id: "blocks" });
  }

  find(key: string): KeyBlock | undefined {
    if (this.some[0] === 0) return undefined;
    const { keys, values } = this.#tableMade;
    const { low, high } = this.#hash(key);
    for (;;) {
      const slot = keys.slots.find(low, high);
      if (slot === NOWHERE) return undefined;
      const state = this.#stateAt(slot, low, high);
      if (state !== undefined && values.confirm(slot, state.low, state.high)) return state.block;
    }
  }

  replace(key: string, before: KeyBlock | undefined, after: KeyBlock | undefined, now: TimeCell): BlockChange {
    this.#now[0] = now[0]!;
    if (!this.#canKeep()) return "full";
    const { low, high } = this.#hash(key);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const slot = this.#tableMade.keys.slots.find(low, high);
      const change =
        slot === NOWHERE ? this.#insert(low, high, before, after) : this.#replaceAt(slot, low, high, before, after);
      if (change !== undefined) return change;
    }
    return "full";
  }

  /** The memory has no texts of keys, so there is no `list`. */
  clear(): void {
    if (this.some[0] === 0) return;
    const { slots } = this.#tableMade.keys;
    for (let slot = slots.firstKey(); slot !== NOWHERE; slot = slots.nextKey(slot)) {
      while (slots.planOf(slot) === this.#planNumber && !this.#vacate(slot));
    }
  }

  /** Frees a slot. False if another thread has changed it. */
  #vacate(slot: number): boolean {
    const { slots } = this.#tableMade.keys;
    const stateHigh = slots.upperWord(slot);
    const stateLow = slots.words[slot + STATE]!;
    return upperBits(stateHigh) === 0 || slots.vacate(slot, stateLow, stateHigh);
  }

  /** Claims a slot for a key that has none. `undefined` if the key may have one now: it has to be looked up again. */
  #insert(
    low: number,
    high: number,
    before: KeyBlock | undefined,
    after: KeyBlock | undefined,
  ): BlockChange | undefined {
    if (before !== undefined && !isOver(before, this.#now[0]!)) return "changed";
    if (after === undefined) return "done";
    const claimed = this.#tableMade.keys.claims.claim(low, high, this.#planNumber, this.#isIdle);
    return claimed === NOWHERE ? "full" : undefined;
  }

  /** @throws TollgateError `ERR_LIMITS` if there is not enough memory for the table. */
  get #tableMade(): SharedTable {
    this.#table ??= this.#parts.table();
    return this.#table;
  }

  /** The number of this scope's blocked keys among the plans of the store. */
  get #planNumber(): number {
    const { planLow, planHigh } = this.#fingerprints;
    this.#number ??= this.#parts.rows.numberOf(planLow, planHigh);
    return this.#number;
  }

  /** Prepares the memory for a blocked key. False if there is not enough. */
  #canKeep(): boolean {
    const { memory, rows } = this.#parts;
    try {
      this.#table ??= this.#parts.table();
      rows.markInserted(this.#planNumber);
    } catch (error) {
      if (error instanceof TollgateError) return false;
      throw error;
    }
    // Before the block itself: a thread that sees no flag looks nothing up.
    memory.atomics.store(memory.words, BLOCKED_AT, 1);
    return true;
  }

  #hash(key: string): { readonly low: number; readonly high: number } {
    this.#fingerprints.hashKey(key);
    const { low, high } = this.#fingerprints;
    return { low, high };
  }

  /** A slot's state, and the block in its cells; `undefined` if the key has to be looked up again. */
  #stateAt(slot: number, low: number, high: number): SlotBlock | undefined {
    const { keys, values } = this.#tableMade;
    const { slots, claims } = keys;
    const stateHigh = slots.upperWord(slot);
    const state = { low: slots.words[slot + STATE]!, high: stateHigh };
    if (!slots.isOf(slot, low, high, stateHigh)) return undefined;
    // A claim has no cells. The key may have another slot, which has them.
    if (upperBits(stateHigh) === 0)
      return claims.resolveDuplicates(slot, low, high) ? { ...state, block: undefined } : undefined;
    values.read(slot, state.low, stateHigh);
    return { ...state, block: decode(values.cells) };
  }

  /** `undefined` if another thread was quicker, so that the slot has to be looked up again. */
  #replaceAt(
    slot: number,
    low: number,
    high: number,
    before: KeyBlock | undefined,
    after: KeyBlock | undefined,
  ): BlockChange | undefined {
    const { keys, values } = this.#tableMade;
    const state = this.#stateAt(slot, low, high);
    if (state === undefined) return undefined;
    if (!isSame(state.block, before)) return values.confirm(slot, state.low, state.high) ? "changed" : undefined;
    if (after === undefined) return keys.slots.vacate(slot, state.low, state.high) ? "done" : undefined;
    encode(after, values.cells);
    values.expiry[0] = Math.max(after.untilUs, after.forgetAtUs);
    const outcome = values.publish(slot, state.low, state.high);
    if (outcome === PUBLISHED) return "done";
    return outcome === RETRY ? undefined : "full";
  }
}

/** The state of a slot, and the block that its key has. */
interface SlotBlock {
  readonly low: number;
  readonly high: number;
  readonly block: KeyBlock | undefined;
}

/** How many keys in a table of blocked keys are blocked at a moment. */
export function countBlocked({ keys: { slots }, values }: SharedTable, nowUs: number): number {
  let count = 0;
  for (let slot = slots.firstKey(); slot !== NOWHERE; slot = slots.nextKey(slot)) {
    const stateHigh = slots.upperWord(slot);
    values.read(slot, slots.words[slot + STATE]!, stateHigh);
    if (isInForce(decode(values.cells), nowUs)) count += 1;
  }
  return count;
}

function isSame(one: KeyBlock | undefined, other: KeyBlock | undefined): boolean {
  return (
    one?.untilUs === other?.untilUs &&
    one?.offences === other?.offences &&
    one?.forgetAtUs === other?.forgetAtUs &&
    one?.reason === other?.reason
  );
}

function encode({ untilUs, offences, forgetAtUs, reason }: KeyBlock, cells: Float64Array): void {
  cells.fill(0);
  cells.set([untilUs, offences, forgetAtUs, ...encodeReason(reason)]);
}

function decode(cells: Float64Array): KeyBlock {
  const reason = decodeReason(cells.subarray(REASON_AT));
  return { untilUs: cells[0]!, offences: cells[1]!, forgetAtUs: cells[2]!, reason };
}
