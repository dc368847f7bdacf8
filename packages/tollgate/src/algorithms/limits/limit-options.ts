import { checkChoice, type OptionHints } from "../../core/check-options.ts";
import { checkName } from "../../core/checks.ts";
import { REQUESTS } from "../../core/cost.ts";
import { show, TollgateError } from "../../core/errors.ts";
import { type BlockFor, checkBlockFor } from "../../core/limits/block-for.ts";
import type { LimitCommon, LimitMode } from "../../core/limits/limit-common.ts";

/** The options of every kind of limit. */
export interface LimitOptions {
  /** Derived from the numbers by default, so that different limits have different names. */
  readonly name?: string;
  /** What the limit counts: `"requests"` by default. */
  readonly unit?: string;
  /** `"shadow"`: count and report, never deny. `"enforce"` by default. */
  readonly mode?: LimitMode;
  /**
   * Blocks a key that exhausts the limit, once: `"10m"`. A denied `allow` or `consume` does, and a `charge` that leaves
   * nothing. Denied calls begin the time anew with `{ duration: "10m", extend: true }`. It grows from offence to
   * offence with `{ durations: ["1m", "10m", "1h"], forgetAfter: "1d" }`.
   */
  readonly blockFor?: BlockFor;
}

/** The names of a limit's options: all of them, or the program does not compile. */
export type NamesOf<Options> = Readonly<Record<keyof Options, true>>;

/** The names of the options of every kind of limit. */
export const LIMIT_OPTION_NAMES: NamesOf<LimitOptions> = { name: true, unit: true, mode: true, blockFor: true };

const CALLED_LIMIT = 'it is called "limit" here';
const CALLED_WINDOW = 'it is called "window" here: "60s", or milliseconds';

/** What the options of other limits, and of other rate limiters, are called in a window. */
export const WINDOW_HINTS: OptionHints = {
  "": 'write { limit: 100, window: "15m" }',
  blockDuration: 'it is called "blockFor" here: "10m", or milliseconds',
  capacity: CALLED_LIMIT,
  duration: CALLED_WINDOW,
  interval: CALLED_WINDOW,
  max: CALLED_LIMIT,
  per: CALLED_WINDOW,
  points: CALLED_LIMIT,
  timeWindow: CALLED_WINDOW,
  tokens: CALLED_LIMIT,
  windowMs: CALLED_WINDOW,
};

/** @throws TollgateError `ERR_LIMIT` when a count is not a positive integer below 2^53. */
export function checkCount(option: string, count: unknown, expected = "a positive integer"): number {
  if (typeof count === "number" && Number.isSafeInteger(count) && count > 0) return count;
  const isText = typeof count === "string" && Number(count) > 0;
  const hint = isText ? `; write ${Number(count)}` : typeof count === "object" ? "; write the number alone" : "";
  throw new TollgateError("ERR_LIMIT", `${option}: expected ${expected}, got ${show(count)}${hint}`);
}

/** The first choice is the default. @throws TollgateError `ERR_LIMIT` unless the value is one of the choices. */
export function choose<C extends string>(option: string, value: C | undefined, choices: readonly [C, ...C[]]): C {
  checkChoice(option, value, choices, "ERR_LIMIT");
  return value ?? choices[0];
}

/** Default names contain the unit, and must fit the length of a name. */
const LONGEST_UNIT = 32;

/** The properties that every limit has. `numbers` is the algorithm's part of the default name. */
export function commonParts(
  options: LimitOptions,
  numbers: string,
): Pick<LimitCommon, "name" | "unit" | "mode" | "blockFor"> {
  const unit = options.unit === undefined ? REQUESTS : checkName("unit", options.unit, LONGEST_UNIT);
  const ownName = unit === REQUESTS ? numbers : `${unit}-${numbers}`;
  const name = options.name === undefined ? ownName : checkName("limit name", options.name);
  const mode = choose<LimitMode>("mode", options.mode, ["enforce", "shadow"]);
  if (options.blockFor === undefined) return { name, unit, mode };
  return { name, unit, mode, blockFor: checkBlockFor(options.blockFor, mode) };
}

/**
 * The fingerprint of a limit: the algorithm, its numbers and its unit. The name identifies a limit in addition. The
 * mode and `blockFor` are left out, so that they can change without losing counts.
 */
export function fingerprintOf(algorithm: string, numbers: readonly (number | string)[], unit: string): string {
  let text = algorithm;
  // Joining a list takes four times as long.
  for (const number of numbers) text += `:${number}`;
  return `${text}:${unit}`;
}
