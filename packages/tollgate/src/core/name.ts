import { show, TollgateError } from "./errors.ts";

/**
 * Names travel in HTTP structured fields and in Redis keys, where quotes, backslashes and braces mean something else.
 */
const NAME = /^[\x20\x21\x23-\x5b\x5d-\x7a\x7c\x7e]+$/;

/** @throws TollgateError `ERR_NAME` when it is no name; `option` says whose. */
export function checkName(option: string, name: unknown, longest = 128): string {
  if (typeof name === "string" && NAME.test(name) && name.length <= longest) return name;
  const expected = `1 to ${longest} printable ASCII characters without double quotes, backslashes and braces`;
  throw new TollgateError("ERR_NAME", `${option}: expected ${expected}, got ${show(name)}`);
}
