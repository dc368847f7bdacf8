/// <reference lib="esnext.disposable" preserve="true" />

import { checkOptions, checkWholeNumber, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import type { Clock } from "../../core/clock.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import { warnOfObserver } from "../../core/observer.ts";
import type { AsyncLimiter, Limiter } from "../../limiter/limiter.ts";
import { observedParts } from "../../limiter/observed-parts.ts";
import type { DecidedCall } from "../../limiter/watching/decided-call.ts";
import type { Watcher } from "../../limiter/watching/watch.ts";
import { FrequentKeys } from "./frequent-keys.ts";
import { keptText } from "./kept-text.ts";

export interface HotKeysOptions {
  /** How many keys the lists have at most: 1 to 1,000, 10 by default. Memory grows with it. */
  readonly top?: number | undefined;
  /** After this time a call counts for half: 1 second to 1 day, `"10m"` by default. */
  readonly halfLife?: Duration | undefined;
  /** 1 in so many calls is counted, chosen at random: 1 to 10,000, 32 by default. With 1 all are. */
  readonly sample?: number | undefined;
  /** What is kept and shown in place of a key, such as a part of it. Keys that are masked alike count as one. */
  readonly mask?: ((key: string) => string) | undefined;
}

/** A key of a limiter that many calls or denials have. */
export interface HotKey {
  /** The key as text, masked. A text of more than 128 units is cut, and ends with a hash. */
  readonly key: string;
  /** In a domain of a limits file: the limiter of the rule that has the key, such as `"api/login"`. */
  readonly limiter?: string;
  /** How many calls the key had at most, or denials in `denied()`, each by its age. With `sample`, a projection. */
  readonly count: number;
  /** How many of them may have been of other keys. */
  readonly error: number;
}

/** The keys of a limiter that are called most. Made by `hotKeys`. */
export interface HotKeys {
  /** The keys with the most calls, those first that have most for certain. */
  active(): HotKey[];
  /** The keys with the most calls that were denied. */
  denied(): HotKey[];
  /** Ends the counting. The lists stay, and age. */
  close(): void;
  [Symbol.dispose](): void;
}

const NAMES: Readonly<Record<keyof HotKeysOptions, true>> = { top: true, halfLife: true, sample: true, mask: true };
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const DEFAULT_HALF_LIFE_MS = 600_000;
const MOST_TOP = 1_000;
const MOST_SAMPLE = 10_000;
/** How many keys are counted for each that is shown, at least. */
const SLOTS_PER_KEY = 32;
/** Weights are scaled down before they exceed 2^60. */
const MOST_HALVES = 60;

/**
 * Finds the keys of a limiter that have the most calls, and the most denials, while it runs. It works over every store,
 * because the limiter knows the key of a call. Its memory is fixed: about 30 kB for each key of `top`.
 *
 * A call counts for half after each `halfLife`. Of the calls that were counted, a key had at most `count`, and at least
 * `count - error`. A key that had more than `1 / (32 × top)` of them is among those that are counted, whatever the
 * other keys are. Calls are chosen at random: the standard error of `count` is `√(count × sample)` at most.
 *
 * Calls of a combination count for the keys of each of its limiters. They are denied if one of its limiters denies. In
 * a domain of a limits file, a denial counts for the key of the rule that denies.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`.
 * @see FrequentKeys, for the algorithm and where it is from.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { hotKeys } from "tollgate/metrics";
 *
 * const limiter = createLimiter({ limits: [perMinute(3)] });
 * const hot = hotKeys(limiter, { top: 2, sample: 1 });
 * for (const user of ["ann", "bob", "ann", "ann", "ann", "ann", "eve"]) limiter.allow(user);
 * console.log(hot.active()[0]); // { key: 'ann', count: 5, error: 0 }
 * console.log(hot.denied()); // [ { key: 'ann', count: 2, error: 0 } ]
 * ```
 */
export function hotKeys(limiter: Limiter<never> | AsyncLimiter<never>, options: HotKeysOptions = {}): HotKeys {
  checkOptions("hotKeys", options, NAMES);
  const { top, halfLife, sample, mask } = options;
  if (mask !== undefined) checkFunction("mask", mask, "a function from a key to a text");
  const { clock, watch } = observedParts("hotKeys", limiter);
  const counted = new CountedKeys(clock, {
    top: checkWholeNumber("top", top ?? 10, 1, MOST_TOP),
    halfLifeMs: halfLife === undefined ? DEFAULT_HALF_LIFE_MS : checkDuration("halfLife", halfLife, SECOND_MS, DAY_MS),
    sample: checkWholeNumber("sample", sample ?? 32, 1, MOST_SAMPLE),
    mask,
  });
  counted.close = watch.addWatcher(counted);
  return counted;
}

interface Settings extends Pick<HotKeysOptions, "mask"> {
  readonly top: number;
  readonly halfLifeMs: number;
  readonly sample: number;
}

/** Counts the calls that it sees. */
class CountedKeys implements HotKeys, Watcher {
  readonly sees: number;
  readonly #clock: Clock;
  readonly #top: number;
  readonly #mask: HotKeysOptions["mask"];
  readonly #halfLifeMs: number;
  readonly #active: FrequentKeys;
  readonly #denied: FrequentKeys;
  #lastMs: number;
  /** Half-lives since the moment at which a call weighed 1. */
  #halves = 0;
  close: () => void = () => {};

  constructor(clock: Clock, { top, halfLifeMs, sample, mask }: Settings) {
    this.sees = sample;
    this.#clock = clock;
    this.#top = top;
    this.#mask = mask;
    this.#halfLifeMs = halfLifeMs;
    this.#lastMs = clock.now();
    this.#active = new FrequentKeys(top * SLOTS_PER_KEY);
    this.#denied = new FrequentKeys(top * SLOTS_PER_KEY);
  }

  decided(call: DecidedCall, from: number, until: number, rule?: string): void {
    if (call.corrects) return;
    const keys = call.keys.slice(from, until);
    const key = keys.length === 1 ? keys[0]! : JSON.stringify(keys);
    // The first of several limiters that count by one key counts.
    if (keys.length === 0 || !call.isFirst(this, identityOf(key, rule))) return;
    this.#count(key, rule, !call.allowed && (rule === undefined || call.decision.limiter === rule));
  }

  #count(key: string, rule: string | undefined, isDenied: boolean): void {
    try {
      const text = identityOf(keptText(this.#mask === undefined ? key : masked(this.#mask, key)), rule);
      const weight = this.#weight();
      this.#active.add(text, weight);
      if (isDenied) this.#denied.add(text, weight);
    } catch (error) {
      warnOfObserver(error);
    }
  }

  active(): HotKey[] {
    return this.#list(this.#active);
  }

  denied(): HotKey[] {
    return this.#list(this.#denied);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #list(keys: FrequentKeys): HotKey[] {
    const scale = this.sees / this.#weight();
    return keys
      .top(this.#top)
      .map(({ key, count, error }) => ({
        ...partsOf(key),
        count: Math.round(count * scale),
        error: Math.round(error * scale),
      }))
      .filter(({ count }) => count > 0);
  }

  /**
   * What a call counts now, in the unit of the counts. Earlier counts stay as they are, and later calls weigh more
   * ("forward decay", Cormode, Shkapenyuk, Srivastava, Xu, ICDE 2009). While the clock goes back, no time passes.
   */
  #weight(): number {
    const nowMs = this.#clock.now();
    this.#halves += Math.max(0, nowMs - this.#lastMs) / this.#halfLifeMs;
    this.#lastMs = nowMs;
    if (this.#halves >= MOST_HALVES) {
      const factor = 2 ** -this.#halves;
      this.#active.scale(factor);
      this.#denied.scale(factor);
      this.#halves = 0;
    }
    return 2 ** this.#halves;
  }
}

/** Between the rule, if there is one, and its key. Names of limiters do not contain it. */
const BETWEEN = "\0";

function identityOf(key: string, rule = ""): string {
  return rule + BETWEEN + key;
}

function partsOf(identity: string): Pick<HotKey, "key" | "limiter"> {
  const end = identity.indexOf(BETWEEN);
  const key = identity.slice(end + 1);
  return end === 0 ? { key } : { key, limiter: identity.slice(0, end) };
}

function masked(mask: (key: string) => string, key: string): string {
  const text: unknown = mask(key);
  if (typeof text === "string") return text;
  throw optionError("mask", "a function that returns a text", text);
}
