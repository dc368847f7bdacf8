import { type Limit, tokenBucket } from "tollgate";
import type { SharedVariant } from "./row.ts";
import { CAPACITY, UNIT_MS } from "./units.ts";

/** A unit counts for longer than a row takes, so that no key is as good as new meanwhile. */
export const AMPLE: Limit = tokenBucket({ capacity: CAPACITY, refill: 1, per: UNIT_MS });
const ALSO_AMPLE = tokenBucket({ capacity: CAPACITY, refill: 1, per: UNIT_MS / 2 });
const EXHAUSTED = tokenBucket({ capacity: 1, refill: 1, per: "1h" });

export function limitsOf({ limit, limits }: Pick<SharedVariant, "limit" | "limits">): Limit[] {
  if (limit === "exhausted") return [EXHAUSTED];
  return limits === 1 ? [AMPLE] : [AMPLE, ALSO_AMPLE];
}
