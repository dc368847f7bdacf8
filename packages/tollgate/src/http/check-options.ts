import { show, TollgateError } from "../core/errors.ts";

/** `hint` follows what was given, and begins with a comma. */
export function optionError(option: string, expected: string, got: unknown, hint = ""): TollgateError {
  return new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(got)}${hint}`);
}

/** @throws TollgateError `ERR_OPTION` unless the option is absent or one of the choices. */
export function checkChoice(option: string, value: unknown, choices: readonly unknown[]): void {
  if (value === undefined || choices.includes(value)) return;
  throw optionError(option, `one of ${choices.map(show).join(", ")}`, value);
}

/**
 * Refuses unknown options: a misspelt one would be ignored.
 *
 * @param hints for names that are easily mistaken, what to add to the error.
 * @throws TollgateError `ERR_OPTION`, naming `owner`.
 */
export function checkOptionNames(
  owner: string,
  options: object,
  known: readonly string[],
  hints: Readonly<Record<string, string>> = {},
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = Object.hasOwn(hints, unknown) ? `, ${hints[unknown]}` : "";
  throw optionError(owner, `options among ${known.join(", ")}`, unknown, hint);
}
