import { type ChosenLimits, createLimiter, type Limit, type Limiter } from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";

/** A moment in 2026. */
export const START_MS = 1_790_000_000_123;

/** A limiter over a manual clock. */
export function setUp(
  limits: readonly Limit[] | ((key: string) => ChosenLimits),
  startMs: number = START_MS,
): { readonly clock: ManualClock; readonly limiter: Limiter } {
  const clock = manualClock(startMs);
  return { clock, limiter: createLimiter({ limits, clock }) };
}

/** How many of `count` calls in a row are admitted. */
export function admitted(limiter: Pick<Limiter, "allow">, count: number, key = "a"): number {
  return Array.from({ length: count }, () => limiter.allow(key)).filter(Boolean).length;
}

/** The units that count under each limit. */
export function used(limiter: Pick<Limiter, "explain">, key = "a"): number[] {
  return limiter.explain(key).map((one) => one.used);
}
