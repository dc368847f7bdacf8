import { show, TollgateError } from "./errors.ts";

/** @throws TollgateError `ERR_OPTION`, naming `option`, when the value is no function. */
export function checkFunction(option: string, value: unknown, expected: string): void {
  if (typeof value === "function") return;
  throw new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(value)}`);
}
