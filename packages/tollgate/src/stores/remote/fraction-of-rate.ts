import { withCapacity } from "../../algorithms/limits/calendar-window.ts";
import { concurrency } from "../../algorithms/limits/concurrency.ts";
import { plainWindow } from "../../algorithms/limits/plain-window.ts";
import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import { LONGEST_US } from "../../core/duration.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { Limit, TokenBucketLimit } from "../../core/limits/limit.ts";

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
function fractionOfRate(
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

/** A limit of this capacity, at the fraction of the rate. Windows keep their length. */
type FractionOf<L extends Limit> = (limit: L, capacity: number, fraction: number, tooSlow: TooSlow) => Limit;

const FRACTIONS: { readonly [A in Limit["algorithm"]]: FractionOf<Extract<Limit, { readonly algorithm: A }>> } = {
  "token-bucket"(limit, capacity, fraction, tooSlow) {
    const { name, unit, mode, initial } = limit;
    const { refill, perUs } = fractionOfRate(limit, fraction, tooSlow);
    const per = perUs / 1_000;
    return initial === "full"
      ? tokenBucket({ capacity, refill, per, name, unit, mode })
      : tokenBucket({ capacity, refill, per, name, unit, mode, initial, idleTtl: limit.idleTtlMs });
  },
  "sliding-window": ({ windowMs, resolutionMs, name, unit, mode }, capacity) =>
    slidingWindow({ limit: capacity, window: windowMs, resolution: resolutionMs, name, unit, mode }),
  "fixed-window": ({ windowMs, anchor, name, unit, mode }, capacity) =>
    plainWindow({ limit: capacity, window: windowMs, anchor, name, unit, mode }),
  "calendar-window": withCapacity,
  concurrency: ({ ttlMs: ttl, name, mode }, capacity) => concurrency({ max: capacity, ttl, name, mode }),
};

/** The fraction of a limit. @throws TollgateError `ERR_OPTION` for a bucket that is too slow, where that `"throws"`. */
export function fractionOfLimit(limit: Limit, capacity: number, fraction: number, tooSlow: TooSlow): Limit {
  return (FRACTIONS[limit.algorithm] as FractionOf<Limit>)(limit, capacity, fraction, tooSlow);
}
