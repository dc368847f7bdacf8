import { checkOptions, optionError } from "./check-options.ts";
import type { OnFailure } from "./store.ts";

const NAMES: Readonly<Record<keyof Exclude<OnFailure, string>, true>> = { fallback: true, share: true };

/** @throws TollgateError `ERR_OPTION` unless the value says how calls are decided without a store. */
export function checkOnFailure(onFailure: unknown): OnFailure {
  if (onFailure === "allow" || onFailure === "deny" || onFailure === "throw") return onFailure;
  if (typeof onFailure !== "object" || onFailure === null)
    throw optionError("onFailure", '"allow", "deny", "throw" or { fallback, share }', onFailure);
  checkOptions("onFailure", onFailure, NAMES);
  const { fallback, share } = onFailure as Partial<Exclude<OnFailure, string>>;
  if (fallback?.kind !== "sync" || typeof fallback.open !== "function") {
    throw optionError("onFailure.fallback", "a store in this process, such as memoryStore()", fallback);
  }
  if (!(typeof share === "number" && share > 0 && share <= 1)) {
    throw optionError("onFailure.share", "a number above 0 and at most 1", share);
  }
  return onFailure as OnFailure;
}
