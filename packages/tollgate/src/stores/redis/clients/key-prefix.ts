import { show, TollgateError } from "../../../core/errors.ts";

/** No hash tag, or one that is not empty. Any other prefix would put the keys of one call into different slots. */
const KEEPS_SLOTS = /^(?:[^{]*|[^{]*\{[^}]+\}.*)$/s;

/**
 * The prefix that a client adds to the keys of every command, but not to SCAN patterns and their results.
 *
 * @throws TollgateError `ERR_OPTION` if the store does not work with it.
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
