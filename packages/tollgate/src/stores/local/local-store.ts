/// <reference lib="esnext.disposable" preserve="true" />

import type { SyncStore } from "../../core/store.ts";

/** What happens to a new key for which a store has no slot. */
export type OverflowPolicy = "share" | "deny";

/** How many keys a store in this process keeps, in how many bytes, and what happens to further keys. */
export interface CapacityOptions {
  /** The most keys of all limiters of the store: a whole number from 1 to 10 million. */
  readonly maxKeys?: number;
  /**
   * What happens to a new key for which there is no slot. A key that counts is never evicted. `"share"`, the default:
   * the key shares one of 256 overflow buckets per limiter, so a flood of keys gains at most 256 times the limit.
   * `"deny"`: the key is denied.
   */
  readonly overflow?: OverflowPolicy;
  /**
   * The memory for all limiters of the store, in bytes: keys, their counts, overflow buckets and lists of limits.
   * Beyond it a new key gets no slot, as beyond `maxKeys`.
   */
  readonly maxBytes?: number;
  /**
   * `false` silences the warning that this process is one of a cluster, and so counts for itself alone
   * (docs/warnings.md#cluster-memory).
   */
  readonly warnings?: boolean;
}

/** The names of the options of every store in this process. */
export const CAPACITY_OPTION_NAMES: Readonly<Record<keyof CapacityOptions, true>> = {
  maxKeys: true,
  overflow: true,
  maxBytes: true,
  warnings: true,
};

/** A store in this process with a bound on its keys. */
export interface LocalStore extends SyncStore, Disposable {
  readonly maxKeys: number;
  /** How many keys of all limiters have slots, with idle ones. */
  readonly size: number;
  readonly maxBytes: number;
  /** The memory in use, in bytes. `maxBytes` bounds it. */
  readonly bytes: number;
  /** The calls so far whose key got no slot: overflow buckets decided them, or they were denied. */
  readonly overflowCount: number;
}

/** A store drops a few idle keys after so many calls. */
export const CALLS_PER_SWEEP_STEP = 64;
