/// <reference lib="esnext.disposable" preserve="true" />

import type { SyncStore } from "../../core/store.ts";

/** What becomes of a new key when a store has no room for it. */
export type OverflowPolicy = "share" | "deny";

/** How many keys a store in this process keeps, in how many bytes, and what happens beyond. */
export interface CapacityOptions {
  /** How many keys there is room for, of all limiters of the store: a whole number from 1 to 10 million. */
  readonly maxKeys?: number;
  /**
   * A key that is being limited is never forgotten to make room. `"share"`, the default: a new key that finds no room shares
   * one of 256 overflow buckets per limiter, so that a flood of keys gains 256 times the limit at most. `"deny"`: it is denied.
   */
  readonly overflow?: OverflowPolicy;
  /**
   * The memory for all limiters of the store, in bytes: keys, their counts, overflow buckets, and what each list of
   * limits takes. A key beyond it has no room, as one beyond `maxKeys`.
   */
  readonly maxBytes?: number;
}

/** A store in this process with a bound on its keys. */
export interface LocalStore extends SyncStore, Disposable {
  readonly maxKeys: number;
  /** How many keys have room of their own, of all limiters; those included that a sweep would drop. */
  readonly size: number;
  readonly maxBytes: number;
  /** The memory in use, in bytes: what `maxBytes` bounds. */
  readonly bytes: number;
  /** Calls so far whose key found no room: decided by a bucket that it shares, or denied. */
  readonly overflowCount: number;
}

/** A store drops a few idle keys after so many calls. */
export const CALLS_PER_SWEEP_STEP = 64;
