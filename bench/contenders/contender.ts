import type { KeyPool } from "../workloads/key-pool.ts";

export interface Setup {
  readonly limit: "ample" | "exhausted";
  readonly pool: KeyPool;
}

interface Common {
  /** Makes what the next decisions are about, the keys of a chunk, off-clock. */
  prepare(indices: Uint32Array): void;
  /** Stops timers. */
  close(): void;
}

/**
 * One library, set up as its users set it up. Its `decide` is a loop of its own around the call that is measured, from
 * one place in the prepared chunk to another, so that nothing stands between the two; it says how many were admitted.
 */
export type Contender = SyncContender | AsyncContender;

export interface SyncContender extends Common {
  readonly kind: "sync";
  decide(from: number, to: number): number;
}

/** Decides in promises, which are awaited one by one. */
export interface AsyncContender extends Common {
  readonly kind: "async";
  decide(from: number, to: number): Promise<number>;
}

export type CreateContender = (setup: Setup) => Contender;
