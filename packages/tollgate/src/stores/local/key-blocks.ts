import { type BlockChange, isInForce, isOver, type KeyBlock, type SyncBlocks } from "../../core/blocks.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import type { Scope } from "../../core/plan.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import { ownCopy, textBytes } from "../../core/text-memory.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "./capacity.ts";
import { isKeptAsItIs, type KeyTexts } from "./key-texts.ts";

/** The bytes of a block without its texts: two objects, three numbers, and its places in a map and a set, in V8. */
const BYTES_PER_BLOCK = 360;
/** How many blocks a sweep step looks at. */
const BLOCKS_PER_SWEEP_STEP = 16;
/** A count looks at so many blocks, which takes a part of a millisecond. */
const MOST_COUNTED = 10_000;

/** A block, and whose it is. */
interface Entry {
  readonly scope: Scope;
  readonly text: string;
  readonly clock: Clock;
  readonly bytes: number;
  block: KeyBlock;
}

/**
 * The blocked keys of a store in this process, each with its bytes, beside what its counts take. Sweeps drop only
 * blocks that are over.
 */
export class KeyBlocks {
  /** 1 while there are blocks. */
  readonly some: Int32Array = new Int32Array(1);
  readonly #capacity: Capacity;
  readonly #texts: KeyTexts;
  readonly #reclaim: ((now: TimeCell) => void) | undefined;
  readonly #scopes = new Map<Scope, Map<string, Entry>>();
  /** All blocks, those that a sweep looked at last at the end. */
  readonly #entries = new Set<Entry>();

  /**
   * With `reclaim`, which drops a few idle keys, a blocked key takes one of the store's `maxKeys`. Without it the slots
   * for counts are apart, and as many keys may be blocked.
   */
  constructor(capacity: Capacity, texts: KeyTexts, reclaim?: (now: TimeCell) => void) {
    this.#capacity = capacity;
    this.#texts = texts;
    this.#reclaim = reclaim;
  }

  /** The blocks of a scope. */
  of(scope: Scope, limiter: string, clock: Clock): SyncBlocks {
    return {
      limiter,
      some: this.some,
      find: (key) => this.#scopes.get(scope)?.get(this.#texts.of(key))?.block,
      replace: (key, _before, after, now) => this.#replace(scope, this.#texts.of(key), clock, after, now),
      list: (now) => this.#inForceOf(scope, now),
      clear: () => this.#clear(scope),
    };
  }

  /** The keys of a scope that are blocked. Of a long key only the digest is kept, so that it is not listed. */
  #inForceOf(scope: Scope, now: TimeCell): { readonly key: string; readonly block: KeyBlock }[] {
    const entries = [...(this.#scopes.get(scope)?.values() ?? [])];
    const listed = entries.filter(({ text, block }) => isKeptAsItIs(text) && isInForce(block, now[0]!));
    return listed.map(({ text, block }) => ({ key: text, block }));
  }

  #clear(scope: Scope): void {
    for (const entry of this.#scopes.get(scope)?.values() ?? []) this.#remove(entry);
  }

  /** How many keys are blocked: projected from some of them if they are very many. */
  get inForce(): number {
    const { size } = this.#entries;
    const looked = Math.min(size, MOST_COUNTED);
    let left = looked;
    let inForce = 0;
    for (const { block, clock } of this.#entries) {
      if (left === 0) break;
      left -= 1;
      if (isInForce(block, readUs(clock))) inForce += 1;
    }
    return looked === 0 ? 0 : Math.round((inForce * size) / looked);
  }

  /** Drops blocks that are over, among a few. */
  sweepStep(): void {
    if (this.#entries.size === 0) return;
    let left = Math.min(BLOCKS_PER_SWEEP_STEP, this.#entries.size);
    for (const entry of this.#entries) {
      if (left === 0) return;
      left -= 1;
      const isDue = this.#isOver(entry);
      // The clock may have called a limiter that removed it.
      if (!this.#entries.delete(entry)) continue;
      if (isDue) this.#forget(entry);
      else this.#entries.add(entry);
    }
  }

  #replace(scope: Scope, text: string, clock: Clock, after: KeyBlock | undefined, now: TimeCell): BlockChange {
    const known = this.#scopes.get(scope)?.get(text);
    if (after === undefined) {
      if (known !== undefined) this.#remove(known);
      return "done";
    }
    const bytes = BYTES_PER_BLOCK + textBytes(text) + textBytes(after.reason ?? "");
    const newBytes = bytes - (known?.bytes ?? 0);
    if (!this.#fits(known, newBytes)) this.#makeRoom(now);
    // Another call may have come meanwhile, because clocks may call limiters.
    if (!this.#fits(known, newBytes) || known !== this.#scopes.get(scope)?.get(text)) {
      return known === this.#scopes.get(scope)?.get(text) ? "full" : "changed";
    }
    if (known !== undefined) this.#remove(known);
    this.#add({ scope, text: known?.text ?? ownCopy(text), clock, bytes, block: after });
    return "done";
  }

  #fits(known: Entry | undefined, bytes: number): boolean {
    const { size, maxKeys, bytesLeft } = this.#capacity;
    const keys = this.#reclaim === undefined ? this.#entries.size : size;
    return (known !== undefined || keys < maxKeys) && bytes <= bytesLeft;
  }

  #makeRoom(now: TimeCell): void {
    this.sweepStep();
    this.#reclaim?.(now);
  }

  #add(entry: Entry): void {
    const ofScope = this.#scopes.get(entry.scope) ?? new Map<string, Entry>();
    this.#scopes.set(entry.scope, ofScope.set(entry.text, entry));
    this.#entries.add(entry);
    this.#capacity.size += 1;
    this.#capacity.bytes += entry.bytes;
    this.some[0] = 1;
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry);
    this.#forget(entry);
  }

  /** Works like `#remove`, for an entry that is not in the set any more. */
  #forget({ scope, text, bytes }: Entry): void {
    const ofScope = this.#scopes.get(scope);
    ofScope?.delete(text);
    if (ofScope?.size === 0) this.#scopes.delete(scope);
    this.#capacity.size -= 1;
    this.#capacity.bytes -= bytes;
    this.#capacity.mayHaveRoom();
    this.some[0] = this.#entries.size > 0 ? 1 : 0;
  }

  /** A block whose clock cannot be read stays: the calls of the clock's own limiter report its failure. */
  #isOver({ block, clock }: Entry): boolean {
    try {
      return isOver(block, readUs(clock));
    } catch {
      return false;
    }
  }
}

/** What metrics show of a store in this process. */
export function readingsOf({ size, overflowCount, sweptCount }: Capacity, { inForce }: KeyBlocks): StoreReadings {
  return { keys: size, overflowed: overflowCount, swept: sweptCount, blocked: inForce };
}
