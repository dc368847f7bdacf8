import { fixedWindow } from "../../../core/limits/fixed-window.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import { slidingWindow } from "../../../core/limits/sliding-window.ts";
import { tokenBucket } from "../../../core/limits/token-bucket.ts";
import { createPlan, type Plan } from "../../../core/plan.ts";

/**
 * The plan that one node keeps while the server cannot be asked: of each limit a share, but at least one unit.
 *
 * @throws TollgateError `ERR_LIMIT` when a share is too small for its window.
 */
export function shareOfPlan({ scope, limiter, limits }: Plan, share: number): Plan {
  return createPlan(
    scope,
    limiter,
    limits.map((limit) => shareOfLimit(limit, share)),
  );
}

function shareOfLimit(limit: Limit, share: number): Limit {
  const { name, unit, mode } = limit;
  const capacity = Math.max(1, Math.floor(limit.capacity * share));
  switch (limit.algorithm) {
    case "token-bucket": {
      const { refill, initial } = limit;
      // The refill is a whole number: it comes more slowly instead.
      const per = Math.ceil((limit.perMs * 1000) / share) / 1000;
      return initial === "full"
        ? tokenBucket({ capacity, refill, per, name, unit, mode })
        : tokenBucket({ capacity, refill, per, name, unit, mode, initial, idleTtl: limit.idleTtlMs });
    }
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
