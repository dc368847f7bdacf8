import { createPlan, type Plan } from "../../../core/plan.ts";
import { scriptAlgorithmOf } from "../script/algorithms.ts";
import type { TooSlow } from "../script/fraction-of-rate.ts";

/**
 * The plan that one node enforces while the server is unavailable: a fraction of each limit, but at least one unit.
 * Windows keep their length, so only a bucket's fraction can be too slow.
 *
 * @throws TollgateError `ERR_OPTION` for a fraction that is too slow, where that is `"throws"`.
 */
export function fractionOfPlan({ scope, limiter, limits, onChange }: Plan, fraction: number, tooSlow: TooSlow): Plan {
  const fractions = limits.map((limit) => {
    const capacity = Math.max(1, Math.floor(limit.capacity * fraction));
    return scriptAlgorithmOf(limit).fraction(limit, capacity, fraction, tooSlow);
  });
  // Figures are restated for the plan's own limits, so a fraction keeps no others.
  return createPlan(scope, limiter, fractions, onChange === "keep-first" ? "carry-over" : onChange);
}
