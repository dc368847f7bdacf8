import { LONGEST_US } from "../../../core/duration.ts";
import { show, TollgateError } from "../../../core/errors.ts";
import { fixedWindow } from "../../../core/limits/fixed-window.ts";
import type { Limit, TokenBucketLimit } from "../../../core/limits/limit.ts";
import { slidingWindow } from "../../../core/limits/sliding-window.ts";
import { tokenBucket } from "../../../core/limits/token-bucket.ts";
import { createPlan, type Plan } from "../../../core/plan.ts";

/** What becomes of a bucket whose share gains less than one unit in ten years, the longest `per`. */
export type TooSlow = "refused" | "raised";

/**
 * The plan that one node keeps while the server cannot be asked: of each limit a share, but at least one unit. Windows keep their length,
 * so only a bucket's share can be too small: `"raised"` gives it one unit in ten years.
 *
 * @throws TollgateError `ERR_OPTION` for a share that is too small, where that is `"refused"`.
 */
export function shareOfPlan({ scope, limiter, limits }: Plan, share: number, tooSlow: TooSlow): Plan {
  return createPlan(
    scope,
    limiter,
    limits.map((limit) => shareOfLimit(limit, share, tooSlow)),
  );
}

function shareOfLimit(limit: Limit, share: number, tooSlow: TooSlow): Limit {
  const { name, unit, mode } = limit;
  const capacity = Math.max(1, Math.floor(limit.capacity * share));
  switch (limit.algorithm) {
    case "token-bucket":
      return shareOfBucket(limit, capacity, share, tooSlow);
    case "sliding-window":
      return slidingWindow({
        limit: capacity,
        window: limit.windowMs,
        resolution: limit.resolutionMs,
        name,
        unit,
        mode,
      });
    case "fixed-window":
      return fixedWindow({ limit: capacity, window: limit.windowMs, anchor: limit.anchor, name, unit, mode });
    default:
      return limit satisfies never;
  }
}

function shareOfBucket(limit: TokenBucketLimit, capacity: number, share: number, tooSlow: TooSlow): TokenBucketLimit {
  const { name, unit, mode, initial } = limit;
  const { refill, perUs } = slower(limit, share, tooSlow);
  const per = perUs / 1_000;
  return initial === "full"
    ? tokenBucket({ capacity, refill, per, name, unit, mode })
    : tokenBucket({ capacity, refill, per, name, unit, mode, initial, idleTtl: limit.idleTtlMs });
}

interface Rate {
  readonly refill: number;
  readonly perUs: number;
}

/** A share of a rate. The refill is a whole number, so the period becomes longer, for one unit if it has to. */
function slower(limit: TokenBucketLimit, share: number, tooSlow: TooSlow): Rate {
  const { refill } = limit;
  const wholeUs = Math.round(limit.perMs * 1_000);
  const perUs = Math.ceil(wholeUs / share);
  if (perUs <= LONGEST_US) return { refill, perUs };
  const unitUs = Math.ceil(wholeUs / refill / share);
  if (unitUs <= LONGEST_US) return { refill: 1, perUs: unitUs };
  if (tooSlow === "raised") return { refill: 1, perUs: LONGEST_US };
  throw new TollgateError(
    "ERR_OPTION",
    `onFailure.share: expected at least ${leastShare(wholeUs / refill)} for the limit ${show(limit.name)}, ` +
      `whose share would gain less than one unit in 10 years, got ${show(share)}`,
  );
}

/** The smallest of three digits that a limit can be kept with that gains a unit in that time. */
function leastShare(wholeUnitUs: number): number {
  const exact = wholeUnitUs / LONGEST_US;
  const step = 10 ** (Math.floor(Math.log10(exact)) - 2);
  const rounded = Number((Math.ceil(exact / step) * step).toPrecision(3));
  return Math.ceil(wholeUnitUs / rounded) <= LONGEST_US ? rounded : Number((rounded + step).toPrecision(3));
}
