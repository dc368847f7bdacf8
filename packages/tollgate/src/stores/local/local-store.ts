/// <reference lib="esnext.disposable" preserve="true" />

import { show, TollgateError } from "../../core/errors.ts";
import type { SyncStore } from "../../core/store.ts";
import { Secrets } from "./secrets.ts";

/** What becomes of a new key when a store has no room for it. */
export type OverflowPolicy = "share" | "deny";

/** How many keys a store in this process keeps, and what happens beyond. */
export interface RoomOptions {
  /** How many keys there is room for, of all limiters of the store: a whole number from 1 to 10 million. */
  readonly maxKeys?: number;
  /**
   * A key that is being limited is never forgotten to make room. `"share"`, the default: a new key that finds no room shares
   * one of 256 overflow buckets per limiter, so that a flood of keys gains 256 times the limit at most. `"deny"`: it is denied.
   */
  readonly overflow?: OverflowPolicy;
}

/** A store in this process with a bound on its keys. */
export interface LocalStore extends SyncStore, Disposable {
  readonly maxKeys: number;
  /** How many keys have room of their own, of all limiters; those included that a sweep would drop. */
  readonly size: number;
  /** Calls so far whose key found no room: decided by a bucket that it shares, or denied. */
  readonly overflowed: number;
}

/** Stores clean up a little now and then, as calls come in. */
export const CALLS_PER_STEP = 64;

/** The room of one store. */
export class Room {
  readonly maxKeys: number;
  readonly overflow: OverflowPolicy;
  size = 0;
  overflowed = 0;
  /** At 0 or below, the store's next bit of cleaning up is due. */
  callsUntilStep: number = CALLS_PER_STEP;
  readonly secrets: Secrets = new Secrets();

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(store: string, options: RoomOptions, defaultMaxKeys?: number) {
    if (typeof options !== "object" || options === null) {
      throw new TollgateError("ERR_OPTION", `${store}: expected an object of options, got ${show(options)}`);
    }
    const { maxKeys = defaultMaxKeys, overflow = "share" } = options;
    if (maxKeys === undefined || !Number.isInteger(maxKeys) || maxKeys < 1 || maxKeys > MOST_KEYS) {
      throw new TollgateError(
        "ERR_OPTION",
        `maxKeys: expected a whole number from 1 to ${MOST_KEYS}, got ${show(maxKeys)}`,
      );
    }
    if (overflow !== "share" && overflow !== "deny") {
      throw new TollgateError("ERR_OPTION", `overflow: expected "share" or "deny", got ${show(overflow)}`);
    }
    this.maxKeys = maxKeys;
    this.overflow = overflow;
  }
}

/** A Map holds 2^24 keys; a typed array of one cell a key far more. */
const MOST_KEYS = 10_000_000;
