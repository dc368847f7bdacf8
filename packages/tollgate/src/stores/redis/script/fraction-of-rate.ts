import { LONGEST_US } from "../../../core/duration.ts";
import { show, TollgateError } from "../../../core/errors.ts";
import type { TokenBucketLimit } from "../../../core/limits/limit.ts";

/**
 * What happens to a bucket whose fraction gains less than one unit in ten years, the longest `per`: an error, or one
 * unit in ten years.
 */
export type TooSlow = "throws" | "raised";

/**
 * A fraction of a bucket's rate. The refill is a whole number, so the period becomes longer, for a single unit if
 * necessary.
 *
 * @throws TollgateError `ERR_OPTION` for a rate that is too slow, where that is `"throws"`.
 */
export function fractionOfRate(
  limit: TokenBucketLimit,
  fraction: number,
  tooSlow: TooSlow,
): { refill: number; perUs: number } {
  const { refill } = limit;
  const wholeUs = Math.round(limit.perMs * 1_000);
  const perUs = Math.ceil(wholeUs / fraction);
  if (perUs <= LONGEST_US) return { refill, perUs };
  const unitUs = Math.ceil(wholeUs / refill / fraction);
  if (unitUs <= LONGEST_US) return { refill: 1, perUs: unitUs };
  if (tooSlow === "raised") return { refill: 1, perUs: LONGEST_US };
  throw tooSlowError(limit, wholeUs, fraction);
}

function tooSlowError({ name, refill }: TokenBucketLimit, wholeUs: number, fraction: number): TollgateError {
  return new TollgateError(
    "ERR_OPTION",
    `onFailure.share: expected at least ${leastFraction(wholeUs / refill)} for the limit ${show(name)}, ` +
      `whose share would gain less than one unit in 10 years, got ${show(fraction)}`,
  );
}

/** The smallest fraction of three digits that is not too slow, given the time in which the whole limit gains a unit. */
function leastFraction(wholeUnitUs: number): number {
  const exact = wholeUnitUs / LONGEST_US;
  const step = 10 ** (Math.floor(Math.log10(exact)) - 2);
  const rounded = Number((Math.ceil(exact / step) * step).toPrecision(3));
  return Math.ceil(wholeUnitUs / rounded) <= LONGEST_US ? rounded : Number((rounded + step).toPrecision(3));
}
