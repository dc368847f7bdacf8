import type { Batch } from "./script-batch.ts";
import type { DenialMemory, Work } from "./work.ts";

/** What a batcher is told, and what it calls. */
export interface BatcherOptions {
  /** The most keys of one script call; below 1: each call alone. */
  readonly mostKeys: number;
  /** Whether all keys of a script call have to be in one slot. */
  readonly bySlot: boolean;
  /** Whether the limiters' clocks decide: then only calls of the same moment join. */
  readonly byLimitersClock: boolean;
  /** The most calls without an answer. */
  readonly maxPending: number;
  /** Whether calls may be sent: not before the client has connected. Otherwise the owner calls `flush` again later. */
  readonly mayStart: () => boolean;
  readonly nowMs: () => number;
  readonly memory: DenialMemory;
  /** Sends a batch once, and calls `returned` after its answer or its failure. */
  readonly send: (batch: Batch) => void;
  /** Sends works without a batch, and calls `ended` after their answers or their failure. */
  readonly deliver: (slot: number, sinceMs: number, works: readonly Work[], ended: () => void) => void;
}
