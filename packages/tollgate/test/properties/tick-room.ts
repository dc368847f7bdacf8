import { type TickScale, tickScale, YEAR_US } from "../reference/tick-scale.ts";
import type { LimitSpec, TokenBucketSpec } from "./limit-spec.ts";

function scaleOf({ capacity, refill, perUs }: TokenBucketSpec): TickScale {
  return tickScale({ capacity: BigInt(capacity), refill: BigInt(refill), perUs: BigInt(perUs) });
}

/** Whether a debt of these capacities, after the clock went back by these years, stays below the ceiling of debt. */
export function hasRoom(spec: LimitSpec, years: bigint, capacities: bigint): boolean {
  if (spec.kind !== "token-bucket") return true;
  const scale = scaleOf(spec);
  const debt = capacities * BigInt(spec.capacity) * scale.ticksPerUnit;
  return scale.ticks(years * YEAR_US) + debt < scale.mostDebt;
}

/** Whether the bucket's ticks are exact fractions of a microsecond. */
export function isExact(spec: TokenBucketSpec): boolean {
  return scaleOf(spec).exact;
}

/** How many ticks a unit of the bucket is worth. */
export function ticksPerUnit(spec: TokenBucketSpec): bigint {
  return scaleOf(spec).ticksPerUnit;
}
