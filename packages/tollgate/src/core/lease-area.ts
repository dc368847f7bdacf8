import type { Clock } from "./clock.ts";

/** The words of shared memory that each key of a `LeaseArea` has. */
export const LEASE_KEY_WORDS = 128;
/** The words at the beginning of a `LeaseArea` that belong to no key. */
export const LEASE_HEADER_WORDS = 16;

/** Memory that threads share. `words` and `numbers` are the same bytes. */
export interface ThreadMemory {
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  readonly atomics: Pick<typeof Atomics, "add" | "compareExchange" | "load" | "store">;
  /** Atomically replaces a pair of words, whose index is even: false, and no change, if another pair is there. */
  swap(word: number, low: number, high: number, newLow: number, newHigh: number): boolean;
}

/** Where the threads of a process keep leases of a quota elsewhere. All words are 0 at first. */
export interface LeaseArea {
  readonly memory: ThreadMemory;
  /** The first word: first the header, then the keys. */
  readonly at: number;
  /** For how many keys there are words. */
  readonly keys: number;
  /** A clock on which all threads agree. */
  readonly clock: Clock;
  /** A keyed hash of 64 bits, which is the same in all threads. */
  hash(text: string): readonly [low: number, high: number];
}
