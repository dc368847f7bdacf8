import { show, TollgateError } from "../core/errors.ts";

/**
 * A name that is none would mean nothing, and nobody would notice.
 *
 * @throws TollgateError `ERR_OPTION`, naming `owner`, for options that have other names than those known, and the hint for one that is
 * easily mistaken.
 */
export function checkNames(
  owner: string,
  options: object,
  known: readonly string[],
  hints: Readonly<Record<string, string>> = {},
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = Object.hasOwn(hints, unknown) ? `, ${hints[unknown]}` : "";
  throw new TollgateError(
    "ERR_OPTION",
    `${owner}: expected options among ${known.join(", ")}, got ${show(unknown)}${hint}`,
  );
}
