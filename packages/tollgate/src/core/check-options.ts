import { type ErrorCode, show, TollgateError } from "./errors.ts";
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

/** @throws TollgateError with the code, unless the option is absent or one of the choices. */
export function checkChoice(
  option: string,
  value: unknown,
  choices: readonly unknown[],
  code: ErrorCode = "ERR_OPTION",
): void {
  if (value === undefined || choices.includes(value)) return;
  const expected = `${choices.length > 1 ? "one of " : ""}${choices.map(show).join(", ")}`;
  throw new TollgateError(code, `${option}: expected ${expected}, got ${show(value)}`);
}

/** The names of a function's options. `Record<keyof Options, true>` makes a forgotten one a compile error. */
export type OptionNames = Readonly<Record<string, true>>;

/** For names that are easily mistaken: the text after the semicolon. Under `""`: what to write where no object came. */
export type OptionHints = Readonly<Record<string, string>>;

const NO_HINTS: OptionHints = {};

/**
 * Refuses what is no object of options, and unknown options, because a misspelt one would be ignored: `perMinute:
 * unknown option "burts"; did you mean "burst"?`. Options with a hint have a line each. Limits functions make limits
 * for each call, so a check that passes allocates nothing.
 *
 * @param owner the function whose options they are.
 * @throws TollgateError `ERR_OPTION`.
 */
export function checkOptions(owner: string, options: unknown, known: OptionNames, hints: OptionHints = NO_HINTS): void {
  checkObject(owner, options, undefined, hints[""]);
  for (const name in options) {
    if (!Object.hasOwn(options, name) || Object.hasOwn(known, name)) continue;
    const hinted = Object.keys(options).filter((other) => Object.hasOwn(hints, other) && !Object.hasOwn(known, other));
    const lines = (hinted.length > 0 ? hinted : [name]).map((other) => {
      const hint = hinted.length > 0 ? hints[other] : guess(other, Object.keys(known));
      return `${owner}: unknown option ${show(other)}; ${hint}`;
    });
    throw new TollgateError("ERR_OPTION", lines.join("\n"));
  }
}

/** @throws TollgateError `ERR_OPTION`, naming `owner`, unless the value is an object, and no list. */
export function checkObject(
  owner: string,
  value: unknown,
  expected = "an object of options",
  hint?: string,
): asserts value is object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw optionError(owner, expected, value, hint && `; ${hint}`);
}

function guess(name: string, known: readonly string[]): string {
  const nearest = nearestWord(name, known);
  return nearest === undefined ? `expected ${known.join(", ")}` : `did you mean "${nearest}"?`;
}
