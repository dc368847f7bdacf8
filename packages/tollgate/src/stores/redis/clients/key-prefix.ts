import { show, TollgateError } from "../../../core/errors.ts";

/** Without a hash tag, or with one that is not empty: with any other the keys of one call end up in different slots. */
const KEEPS_SLOTS = /^(?:[^{]*|[^{]*\{[^}]+\}.*)$/s;

/**
 * What a client adds to the keys of every command, but neither to a pattern of SCAN nor to what that finds.
 *
 * @throws TollgateError `ERR_OPTION` if the store could not work with it.
 */
export function checkKeyPrefix(given: unknown, kind: "cluster" | "single"): string {
  const keyPrefix = given ?? "";
  if (typeof keyPrefix !== "string") {
    throw new TollgateError("ERR_OPTION", `client: expected its keyPrefix to be a string, got ${show(keyPrefix)}`);
  }
  if (kind === "cluster" && !KEEPS_SLOTS.test(keyPrefix)) {
    throw new TollgateError(
      "ERR_OPTION",
      `client: expected the keyPrefix for a cluster to have no brace, or a whole hash tag, got ${show(keyPrefix)}`,
    );
  }
  return keyPrefix;
}
