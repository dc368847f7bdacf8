import { promiseHint } from "../../core/checks.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isSealed } from "../../core/limits/limit-common.ts";
import { checkNames } from "../../core/plan.ts";

/** The limits of one call: a list of at least one, no limit at all, or none that could admit it. */
export type ChosenLimits = readonly Limit[] | "unlimited" | "deny";

/**
 * Chooses limits for each call. `"unlimited"` admits the call and counts nothing; `"deny"` denies it with reason
 * `"denied"` and counts nothing. A function that returns a promise makes an `AsyncLimiter`.
 */
export type LimitsFunction<Input, Chosen extends ChosenLimits | PromiseLike<ChosenLimits> = ChosenLimits> = (
  input: Input,
) => Chosen;

const NONE: readonly Limit[] = [];

/** The limits that a function chose: none if `"unlimited"` or `"deny"`. @throws TollgateError `ERR_LIMITS`. */
export function checkChosenLimits(chosen: unknown): readonly Limit[] {
  if (chosen === "unlimited" || chosen === "deny") return NONE;
  // Checked before any space is opened, so that a rejected list leaves nothing behind.
  return checkLimits(chosen, 'a list of at least one limit, "unlimited" or "deny"');
}

/** @throws TollgateError `ERR_LIMITS` unless it is a list of limits that the factories made, with names that differ. */
export function checkLimits(limits: unknown, expected = "a list of at least one limit"): readonly Limit[] {
  if (!Array.isArray(limits) || limits.length === 0) {
    const got = Array.isArray(limits) ? "none" : show(limits);
    throw new TollgateError(
      "ERR_LIMITS",
      `limits: expected ${expected}, got ${got}${isLimit(limits) ? "; write limits: [limit]" : promiseHint(limits)}`,
    );
  }
  // One limit, the usual list: it has no name twice.
  if (limits.length === 1 && isLimit(limits[0])) return [limits[0]];
  const checked = Array.from(limits, (limit: unknown) => {
    if (isLimit(limit)) return limit;
    throw new TollgateError(
      "ERR_LIMITS",
      `limits: expected limits made by tokenBucket, perSecond, slidingWindow, fixedWindow …, got ${show(limit)}`,
    );
  });
  checkNames(checked);
  return checked;
}

/** Whether a limit factory made the value. */
export function isLimit(value: unknown): value is Limit {
  return isSealed(value);
}
