import { show, TollgateError } from "./errors.ts";

/**
 * Names travel in HTTP structured fields and in Redis keys, where quotes, backslashes and braces mean something else.
 */
const NAME = /^[\x20\x21\x23-\x5b\x5d-\x7a\x7c\x7e]{1,128}$/;

/** @throws TollgateError `ERR_NAME` when it is no name; `option` says whose. */
export function checkName(option: string, name: unknown): string {
  if (typeof name === "string" && NAME.test(name)) return name;
  throw new TollgateError(
    "ERR_NAME",
    `${option}: expected 1 to 128 printable ASCII characters without quotes, backslashes and braces, got ${show(name)}`,
  );
}
