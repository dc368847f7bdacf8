import {
  checkChoice,
  checkOptions,
  checkWholeNumber,
  type OptionHints,
  type OptionNames,
  optionError,
} from "../../core/check-options.ts";
import { ClusterWarning } from "./cluster-warning.ts";
import {
  CALLS_PER_SWEEP_STEP,
  CAPACITY_OPTION_NAMES,
  type CapacityOptions,
  type OverflowPolicy,
} from "./local-store.ts";

/** A memory store numbers up to 2^24 slots of a table; a typed array of one cell a key has far more. */
const MOST_KEYS = 10_000_000;
/**
 * The fraction of the bytes that keys leave to overflow buckets. Otherwise a flood of keys could take the last byte,
 * and a store that shares buckets would have to deny.
 */
const FRACTION_FOR_OVERFLOW = 1 / 8;

/** A store with less than this fraction of its bytes left is short of bytes. */
const SHORT_OF_BYTES = 1 / 4;

/** A store with slots left for less than this fraction of its keys is nearly full. */
const SHORT_OF_KEYS = 1 / 4;

/** How many resets a store remembers, unless it is small. */
const FEWEST_RESETS = 2 ** 12;
const MOST_RESETS = 2 ** 14;
const BYTES_PER_RESET = 256;

const HINTS: OptionHints = { "": "write { maxKeys: 100_000 }", max: 'it is called "maxKeys" here' };

/** The options of a kind of store: names, defaults and bounds. */
export interface CapacityDefaults {
  readonly names: OptionNames;
  readonly maxKeys?: number;
  readonly maxBytes: (maxKeys: number) => number;
  readonly fewestBytes: number;
  readonly mostBytes: number;
}

/** The defaults of stores that allocate memory as keys arrive. */
export const HEAP_DEFAULTS: CapacityDefaults = {
  names: CAPACITY_OPTION_NAMES,
  maxBytes: () => 2 ** 28,
  // A few keys of a few limiters need this.
  fewestBytes: 2 ** 16,
  mostBytes: 2 ** 40,
};

/** The capacity of one store: how many keys and bytes it may have, and how many it has. */
export class Capacity {
  readonly maxKeys: number;
  readonly maxBytes: number;
  readonly overflow: OverflowPolicy;
  size = 0;
  /** The sum of what the tables of all plans have charged. */
  bytes = 0;
  overflowCount = 0;
  /** How many idle keys were dropped. */
  sweptCount = 0;
  /** At 0 or below, the store's next sweep step is due. */
  callsUntilSweep: number = CALLS_PER_SWEEP_STEP;
  /**
   * The instant at which the search for an idle key found none for the current call. The next call at that instant does
   * not search, so that it finds what a `peek` found.
   */
  fullAtUs: number = Number.NaN;
  /** What observers are notified of at the next sweep step, which never comes during a call. */
  readonly notices: (() => void)[] = [];
  readonly clusterWarning: ClusterWarning;
  /** Cells of a key that is new in the current call, or must not change. */
  scratch: Float64Array = new Float64Array(0);
  readonly #mostForKeys: number;

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(store: string, options: CapacityOptions, defaults: CapacityDefaults = HEAP_DEFAULTS) {
    checkOptions(store, options, defaults.names, HINTS);
    const { maxKeys = defaults.maxKeys, overflow = "share", warnings = true } = options;
    this.maxKeys = checkWholeNumber("maxKeys", maxKeys, 1, MOST_KEYS);
    if (overflow !== "share" && overflow !== "deny") throw optionError("overflow", '"share" or "deny"', overflow);
    this.overflow = overflow;
    const { maxBytes = defaults.maxBytes(this.maxKeys) } = options;
    this.maxBytes = checkWholeNumber("maxBytes", maxBytes, defaults.fewestBytes, defaults.mostBytes);
    this.#mostForKeys = Math.floor(this.maxBytes * (overflow === "share" ? 1 - FRACTION_FOR_OVERFLOW : 1));
    checkChoice("warnings", warnings, [true, false]);
    this.clusterWarning = new ClusterWarning(store, warnings);
  }

  /** Observers may call limiters, and so cause further notices. */
  notify(): void {
    for (let notice = this.notices.shift(); notice !== undefined; notice = this.notices.shift()) notice();
  }

  /** A new key may find a slot at the same instant at which the search failed. */
  mayHaveRoom(): void {
    this.fullAtUs = Number.NaN;
  }

  reserveScratch(width: number): void {
    const missing = width - this.scratch.length;
    if (missing <= 0) return;
    this.bytes += missing * Float64Array.BYTES_PER_ELEMENT;
    this.scratch = new Float64Array(width);
  }

  /** The bytes left for keys and front caches. */
  get bytesLeft(): number {
    return this.#mostForKeys - this.bytes;
  }

  /** The bytes left, with those that are kept for overflow buckets. */
  get bytesLeftInAll(): number {
    return this.maxBytes - this.bytes;
  }

  /** How many resets the store remembers: a power of two, in at most a twentieth of the bytes. */
  get mostResets(): number {
    const wanted = Math.min(Math.max(this.maxKeys, FEWEST_RESETS), MOST_RESETS);
    return 2 ** Math.floor(Math.log2(Math.min(wanted, this.maxBytes / BYTES_PER_RESET)));
  }

  /** Whether there are bytes for another list of limits. A fixed one may take those that are kept for buckets. */
  fitsList(bytes: number, isChosenPerCall: boolean): boolean {
    return bytes <= (isChosenPerCall ? this.bytesLeft : this.bytesLeftInAll);
  }

  /** Whether it should make room soon. */
  get isNearlyFull(): boolean {
    const isShortOfBytes = this.bytesLeftInAll < SHORT_OF_BYTES * this.maxBytes;
    return isShortOfBytes || this.maxKeys - this.size < SHORT_OF_KEYS * this.maxKeys;
  }
}
