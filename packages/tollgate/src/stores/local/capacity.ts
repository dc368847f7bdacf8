import { show, TollgateError } from "../../core/errors.ts";
import { CALLS_PER_STEP, type CapacityOptions, type OverflowPolicy } from "./local-store.ts";
import { Reservations } from "./reservations.ts";
import { Secrets } from "./secrets.ts";

/** A Map holds 2^24 keys; a typed array of one cell a key far more. */
const MOST_KEYS = 10_000_000;
/**
 * Keys leave this share of the bytes to overflow buckets. Otherwise a flood of keys could take the last byte, and a
 * store that shares would have to deny.
 */
const SHARE_FOR_OVERFLOW = 1 / 8;

/** With less than this left of its bytes a store is short of them. */
const SHORT_OF_BYTES = 1 / 4;

/** What a kind of store has where options say nothing, and between what bounds. */
export interface CapacityDefaults {
  readonly maxKeys?: number;
  readonly maxBytes: (maxKeys: number) => number;
  readonly fewestBytes: number;
  readonly mostBytes: number;
}

/** What stores have that take memory as keys come. */
export const HEAP_DEFAULTS: CapacityDefaults = {
  maxBytes: () => 2 ** 28,
  // Less would not do for a few keys of a few limiters.
  fewestBytes: 2 ** 16,
  mostBytes: 2 ** 40,
};

/** The room of one store: how many keys and bytes it may have, and has. */
export class Capacity {
  readonly maxKeys: number;
  readonly maxBytes: number;
  readonly overflow: OverflowPolicy;
  size = 0;
  /** As they are accounted: the tables of plans say what they take. */
  bytes = 0;
  overflowCount = 0;
  /** At 0 or below, the store's next bit of cleaning up is due. */
  callsUntilStep: number = CALLS_PER_STEP;
  /**
   * The instant at which a key of the call at hand found no room although idle keys were looked for. The next call at
   * that instant looks for none, so that it finds what a `peek` found.
   */
  fullAtUs: number = Number.NaN;
  readonly reservations: Reservations = new Reservations();
  readonly secrets: Secrets = new Secrets();
  /** Cells of a key that is new, or must not change, in the call at hand. */
  scratch: Float64Array = new Float64Array(0);
  readonly #mostForKeys: number;

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(store: string, options: CapacityOptions, defaults: CapacityDefaults = HEAP_DEFAULTS) {
    if (typeof options !== "object" || options === null) {
      throw new TollgateError("ERR_OPTION", `${store}: expected an object of options, got ${show(options)}`);
    }
    const { maxKeys = defaults.maxKeys, overflow = "share" } = options;
    this.maxKeys = checkWhole("maxKeys", maxKeys, 1, MOST_KEYS);
    if (overflow !== "share" && overflow !== "deny") {
      throw new TollgateError("ERR_OPTION", `overflow: expected "share" or "deny", got ${show(overflow)}`);
    }
    this.overflow = overflow;
    const { maxBytes = defaults.maxBytes(this.maxKeys) } = options;
    this.maxBytes = checkWhole("maxBytes", maxBytes, defaults.fewestBytes, defaults.mostBytes);
    this.#mostForKeys = Math.floor(this.maxBytes * (overflow === "share" ? 1 - SHARE_FOR_OVERFLOW : 1));
  }

  reserveScratch(width: number): void {
    const missing = width - this.scratch.length;
    if (missing <= 0) return;
    this.bytes += missing * Float64Array.BYTES_PER_ELEMENT;
    this.scratch = new Float64Array(width);
  }

  /** The bytes that keys and what speeds them up may still take. */
  get bytesLeft(): number {
    return this.#mostForKeys - this.bytes;
  }

  /** The same with those that are kept for overflow buckets. */
  get bytesLeftInAll(): number {
    return this.maxBytes - this.bytes;
  }

  get isShortOfBytes(): boolean {
    return this.bytesLeftInAll < SHORT_OF_BYTES * this.maxBytes;
  }
}

/** @throws TollgateError `ERR_OPTION`. */
export function checkWhole(option: string, value: unknown, least: number, most: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new TollgateError(
    "ERR_OPTION",
    `${option}: expected a whole number from ${least} to ${most}, got ${show(value)}`,
  );
}
