import { show, TollgateError } from "../../core/errors.ts";

/** What names of headers and of cookies are made of (RFC 9110, RFC 6265). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** @throws TollgateError `ERR_OPTION`, naming `option`, when it is no token. */
export function checkToken(option: string, name: unknown, expected: string): string {
  if (typeof name === "string" && TOKEN.test(name)) return name;
  throw new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(name)}`);
}
