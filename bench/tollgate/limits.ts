import { type Limit, tokenBucket } from "tollgate";
import { UNITS } from "../workloads/units.ts";

/** They refill slowly: a key whose unit is back is as good as new, and stores may forget it. None is within a job. */
const AMPLE = tokenBucket({ capacity: UNITS.ample, refill: 1, per: "10m" });
const ALSO_AMPLE = tokenBucket({ capacity: UNITS.ample, refill: 1, per: "5m" });
const EXHAUSTED = tokenBucket({ capacity: UNITS.exhausted, refill: 1, per: "1h" });

export function limitsOf(limit: "ample" | "exhausted", count: 1 | 2): Limit[] {
  if (limit === "exhausted") return [EXHAUSTED];
  return count === 1 ? [AMPLE] : [AMPLE, ALSO_AMPLE];
}
