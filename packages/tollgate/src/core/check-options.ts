import { show, TollgateError } from "./errors.ts";
import { nearestWord } from "./nearest-word.ts";

/** `hint` follows what was given, and begins with a comma or a semicolon. */
export function optionError(option: string, expected: string, got: unknown, hint = ""): TollgateError {
  return new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(got)}${hint}`);
}

/** @throws TollgateError `ERR_OPTION`, naming `option`, unless the value is a whole number in this range. */
export function checkWholeNumber(option: string, value: unknown, least: number, most: number): number {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw optionError(option, `a whole number from ${least} to ${most}`, value);
}

/** @throws TollgateError `ERR_OPTION` unless the option is absent or one of the choices. */
export function checkChoice(option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw optionError(option, `${choices.length > 1 ? "one of " : ""}${choices.map(show).join(", ")}`, value);
}

/** The names of a function's options. `Record<keyof Options, true>` makes a forgotten one a compile error. */
export type OptionNames = Readonly<Record<string, true>>;

/** For names that are easily mistaken: the text after the semicolon. */
export type OptionHints = Readonly<Record<string, string>>;

const NO_HINTS: OptionHints = {};

/**
 * Refuses what is no object of options, and unknown options. Limits functions make limits for each call, so a check
 * that passes allocates nothing.
 *
 * @param owner the function whose options they are.
 * @throws TollgateError `ERR_OPTION`.
 */
export function checkOptions(owner: string, options: unknown, names: OptionNames, hints: OptionHints = NO_HINTS): void {
  checkObject(owner, options);
  checkOptionNames(owner, options, names, hints);
}

/** @throws TollgateError `ERR_OPTION`, naming `owner`, unless the value is an object, and no list. */
export function checkObject(owner: string, value: unknown, expected = "an object of options"): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw optionError(owner, expected, value);
}

/**
 * Refuses unknown options, because a misspelt one would be ignored: `perMinute: unknown option "burts"; did you mean
 * "burst"?`. `options` may be anything; what is no object has no names.
 *
 * @param owner the function whose options they are.
 * @throws TollgateError `ERR_OPTION`.
 */
export function checkOptionNames(
  owner: string,
  options: unknown,
  known: readonly string[] | OptionNames,
  hints: OptionHints = NO_HINTS,
): void {
  if (typeof options !== "object" || options === null) return;
  for (const name in options) {
    if (!Object.hasOwn(options, name) || isKnown(name, known)) continue;
    throw unknownOptionError(owner, name, isList(known) ? known : Object.keys(known), hints);
  }
}

function isKnown(name: string, known: readonly string[] | OptionNames): boolean {
  return isList(known) ? known.includes(name) : Object.hasOwn(known, name);
}

function isList(known: readonly string[] | OptionNames): known is readonly string[] {
  return Array.isArray(known);
}

function unknownOptionError(owner: string, name: string, known: readonly string[], hints: OptionHints): TollgateError {
  const nearest = nearestWord(name, known);
  const guess = nearest === undefined ? `expected ${known.join(", ")}` : `did you mean "${nearest}"?`;
  const hint = Object.hasOwn(hints, name) ? hints[name] : guess;
  return new TollgateError("ERR_OPTION", `${owner}: unknown option ${show(name)}; ${hint}`);
}
