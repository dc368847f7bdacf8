import type { BlockPolicy } from "./limits/block-for.ts";
import type { TimeCell } from "./time-cell.ts";

/**
 * What a store keeps of a key that is blocked, or that was and whose offences are not forgotten yet. A block belongs to
 * the key in its limiter's scope, so that it survives changes of limits.
 */
export interface KeyBlock {
  /** The key is denied before this moment, in whole microseconds. */
  readonly untilUs: number;
  /** How many blocks a limit has begun since the offences were forgotten. */
  readonly offences: number;
  /** From then on the offences are forgotten. Not before the block ends. */
  readonly forgetAtUs: number;
  /** What `block` was given. */
  readonly reason: string | undefined;
}

/** When a block ends that an operator begins: after a time, or at a moment. */
export type BlockEnd = { readonly forUs: number } | { readonly untilUs: number };

/** The outcome of a change: `"changed"` if another thread was quicker, `"full"` if the store has no capacity. */
export type BlockChange = "done" | "changed" | "full";

/** The blocked keys of one scope in a synchronous store. Limiters look them up, and tell the store what to keep. */
export interface SyncBlocks {
  /** The limiter's name. */
  readonly limiter: string;
  /** One number, 0 while no key of the store is blocked: then calls look nothing up. Other threads may change it. */
  readonly some: Int32Array;
  /** What is kept of a key, even if it has ended. */
  find(key: string): KeyBlock | undefined;
  /** Keeps another block of a key in place of `before`, which `find` returned; `undefined` for none. */
  replace(key: string, before: KeyBlock | undefined, after: KeyBlock | undefined, now: TimeCell): BlockChange;
  /** The keys of the scope that are blocked now. Without this, nothing lists them. */
  list?(now: TimeCell): Iterable<{ readonly key: string; readonly block: KeyBlock }>;
  /** Ends all blocks of the scope, and forgets their offences. */
  clear?(now: TimeCell): void;
}

/** The blocked keys of one scope in an asynchronous store, whose `transact` denies them. */
export interface AsyncBlocks {
  readonly limiter: string;
  block(key: string, end: BlockEnd, reason: string | undefined, now: TimeCell): Promise<void>;
  /** Ends a block and forgets the offences. Says whether the key was blocked. */
  unblock(key: string, now: TimeCell): Promise<boolean>;
  /** The block in force. */
  find(key: string, now: TimeCell): Promise<KeyBlock | undefined>;
}

/** The block that a call leaves in force, the one that ends last if there are several. */
export interface ReportedBlock {
  /** The name of the limiter whose key is blocked. */
  readonly limiter: string;
  /** Which of the call's keys is blocked. Without this, the one whose limiter has the name. */
  readonly keyIndex?: number;
  /** Microseconds until it ends. */
  readonly forUs: number;
  readonly reason: string | undefined;
  /** Whether it denied the call. Otherwise the call began it. */
  readonly denied: boolean;
}

/** Whether a key is blocked at this moment. */
export function isInForce(block: KeyBlock | undefined, nowUs: number): block is KeyBlock {
  return block !== undefined && nowUs < block.untilUs;
}

/** Whether nothing is left of a block: it has ended, and its offences are forgotten. */
export function isOver({ untilUs, forgetAtUs }: KeyBlock, nowUs: number): boolean {
  return nowUs >= untilUs && nowUs >= forgetAtUs;
}

/**
 * The block that an operator begins, in place of any other. The offences stay known.
 *
 * @example
 * ```ts
 * import { blockUntil, type KeyBlock } from "tollgate/store";
 *
 * const kept = new Map<string, KeyBlock>();
 * const nowUs = Date.now() * 1_000;
 * const untilUs = nowUs + 60_000_000;
 * kept.set("ann", blockUntil(untilUs, "scraping", kept.get("ann"), nowUs));
 * console.log(kept.get("ann")?.untilUs === untilUs, kept.get("ann")?.offences); // true 0
 * ```
 */
export function blockUntil(
  untilUs: number,
  reason: string | undefined,
  before: KeyBlock | undefined,
  nowUs: number,
): KeyBlock {
  const isKnown = before !== undefined && nowUs < before.forgetAtUs;
  return {
    untilUs,
    offences: isKnown ? before.offences : 0,
    forgetAtUs: Math.max(untilUs, isKnown ? before.forgetAtUs : untilUs),
    reason,
  };
}

/** The block that begins when a call exhausts limits with `blockFor`: the longest of theirs, and one offence. */
export function blockAfter(blocksFor: readonly BlockPolicy[], before: KeyBlock | undefined, nowUs: number): KeyBlock {
  const offences = before !== undefined && nowUs < before.forgetAtUs ? before.offences : 0;
  let untilUs = nowUs;
  let forgetAtUs = nowUs;
  for (const { durationsMs, forgetAfterMs } of blocksFor) {
    const durationMs = durationsMs[Math.min(offences, durationsMs.length - 1)]!;
    untilUs = Math.max(untilUs, nowUs + inMicroseconds(durationMs));
    forgetAtUs = Math.max(forgetAtUs, nowUs + inMicroseconds(durationMs) + inMicroseconds(forgetAfterMs));
  }
  return { untilUs, offences: offences + 1, forgetAtUs: Math.max(untilUs, forgetAtUs), reason: undefined };
}

/** The block after a call that it denied: later, if a limit extends blocks; otherwise the same. */
export function extendedBy(blocksFor: readonly BlockPolicy[], block: KeyBlock, nowUs: number): KeyBlock {
  let { untilUs } = block;
  for (const { durationsMs, extend } of blocksFor) {
    if (!extend) continue;
    const durationMs = durationsMs[Math.max(0, Math.min(block.offences, durationsMs.length) - 1)]!;
    untilUs = Math.max(untilUs, nowUs + inMicroseconds(durationMs));
  }
  if (untilUs === block.untilUs) return block;
  return { ...block, untilUs, forgetAtUs: block.forgetAtUs + untilUs - block.untilUs };
}

/** Exact: a duration is a whole number of microseconds. */
function inMicroseconds(ms: number): number {
  return Math.round(ms * 1000);
}
