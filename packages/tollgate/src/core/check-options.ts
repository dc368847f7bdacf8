import { show, TollgateError } from "./errors.ts";
import { nearestWord } from "./nearest-word.ts";

/** `hint` follows what was given, and begins with a comma or a semicolon. */
export function optionError(option: string, expected: string, got: unknown, hint = ""): TollgateError {
  return new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(got)}${hint}`);
}

/** @throws TollgateError `ERR_OPTION` unless the option is absent or one of the choices. */
export function checkChoice(option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw optionError(option, `one of ${choices.map(show).join(", ")}`, value);
}

/**
 * Refuses unknown options, because a misspelt one would be ignored: `perMinute: unknown option "burts"; did you mean
 * "burst"?`. `options` may be anything; what is no object has no names.
 *
 * @param owner the function whose options they are.
 * @param hints for names that are easily mistaken, the text after the semicolon.
 * @throws TollgateError `ERR_OPTION`.
 */
export function checkOptionNames(
  owner: string,
  options: unknown,
  known: readonly string[],
  hints: Readonly<Record<string, string>> = {},
): void {
  if (typeof options !== "object" || options === null) return;
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestWord(unknown, known);
  const guess = nearest === undefined ? `expected ${known.join(", ")}` : `did you mean "${nearest}"?`;
  const hint = Object.hasOwn(hints, unknown) ? hints[unknown] : guess;
  throw new TollgateError("ERR_OPTION", `${owner}: unknown option ${show(unknown)}; ${hint}`);
}
