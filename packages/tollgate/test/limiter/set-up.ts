import { type ChosenLimits, createLimiter, type Limit, type Limiter } from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { START_MS } from "../start-ms.ts";

/** A limiter over a manual clock. */
export function setUp(
  limits: readonly Limit[] | ((key: string) => ChosenLimits),
  startMs: number = START_MS,
): { readonly clock: ManualClock; readonly limiter: Limiter } {
  const clock = manualClock(startMs);
  return { clock, limiter: createLimiter({ limits, clock }) };
}

/** The units that count under each limit. */
export function used(limiter: Pick<Limiter, "explain">, key = "a"): number[] {
  return limiter.explain(key).map((one) => one.used);
}
