import { checkOptionNames } from "./check-options.ts";
import { show, TollgateError } from "./errors.ts";
import type { OnFailure } from "./store.ts";

const NAMES: Readonly<Record<keyof Exclude<OnFailure, string>, true>> = { fallback: true, share: true };

/** @throws TollgateError `ERR_OPTION` unless the value says how calls are decided without a store. */
export function checkOnFailure(onFailure: unknown): OnFailure {
  if (onFailure === "allow" || onFailure === "deny") return onFailure;
  if (typeof onFailure !== "object" || onFailure === null) {
    throw new TollgateError(
      "ERR_OPTION",
      `onFailure: expected "allow", "deny" or { fallback, share }, got ${show(onFailure)}`,
    );
  }
  checkOptionNames("onFailure", onFailure, NAMES);
  const { fallback, share } = onFailure as Partial<Exclude<OnFailure, string>>;
  if (fallback?.kind !== "sync" || typeof fallback.open !== "function") {
    throw new TollgateError(
      "ERR_OPTION",
      `onFailure.fallback: expected a store in this process, such as memoryStore(), got ${show(fallback)}`,
    );
  }
  if (!(typeof share === "number" && share > 0 && share <= 1)) {
    throw new TollgateError(
      "ERR_OPTION",
      `onFailure.share: expected a number above 0 and at most 1, got ${show(share)}`,
    );
  }
  return onFailure as OnFailure;
}
