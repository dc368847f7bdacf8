import { show, TollgateError } from "./errors.ts";

/** @throws TollgateError `ERR_OPTION`, naming `option`, unless the value is a function. */
export function checkFunction(option: string, value: unknown, expected: string): void {
  if (typeof value === "function") return;
  throw new TollgateError("ERR_OPTION", `${option}: expected ${expected}, got ${show(value)}`);
}

/**
 * Names travel in structured headers and in Redis keys, in which quotes, backslashes and braces have other meanings.
 */
const NAME = /^[\x20\x21\x23-\x5b\x5d-\x7a\x7c\x7e]+$/;

/** @throws TollgateError `ERR_NAME`, naming `option`, unless the value is a name. */
export function checkName(option: string, name: unknown, longest = 128): string {
  if (typeof name === "string" && NAME.test(name) && name.length <= longest) return name;
  const expected = `1 to ${longest} printable ASCII characters without double quotes, backslashes and braces`;
  throw new TollgateError("ERR_NAME", `${option}: expected ${expected}, got ${show(name)}`);
}

/** Whether the value has a `then`, as promises and the queries of some database clients do. */
export function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** What to write in place of a promise that is refused; nothing for other values. */
export function promiseHint(value: unknown): string {
  if (!isPromise(value)) return "";
  // Its rejection must not end the process.
  value.then(undefined, () => {});
  return "; for look-ups, pass an async function, or set async: true";
}
