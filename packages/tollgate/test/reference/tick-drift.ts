import { type ExactBucket, ExactBucketRules } from "./exact-bucket.ts";
import type { ModelTokenBucket } from "./model-limit.ts";
import { type TickBucket, TickBucketRules } from "./tick-bucket.ts";

export interface DriftStep {
  readonly verb: "take" | "charge" | "refund";
  readonly nowUs: bigint;
  readonly cost: bigint;
}

/**
 * Runs a bucket that counts in ticks beside an exact one that takes the same units, and compares every grant. The tick
 * bucket may never be late, and never early by a whole tick. Returns the first fault.
 *
 * A bucket that begins empty is never forgotten here. The promise excludes debts that reach their ceiling, so `steps`
 * has to stay below it.
 */
export function tickDrift(limit: ModelTokenBucket, steps: readonly DriftStep[]): string | undefined {
  const tickRules = new TickBucketRules(limit);
  const exactRules = new ExactBucketRules(limit);
  const { ticksPerUnit, exact: scaleIsExact } = tickRules.scale;
  let ticks: TickBucket | undefined;
  let exact: ExactBucket | undefined;
  for (const [i, { verb, nowUs, cost }] of steps.entries()) {
    if (ticks === undefined || exact === undefined) {
      ticks = tickRules.fresh(nowUs);
      exact = exactRules.fresh(nowUs);
    }
    const granted = ticks.conforms(nowUs, cost);
    const due = exact.conforms(nowUs, cost);
    const where = `step ${i}: ${verb} ${cost} at ${nowUs}`;
    if (due && !granted) return `late at ${where}`;
    if (granted && !exact.conformsWithinATick(nowUs, cost, ticksPerUnit)) return `a tick early at ${where}`;
    if (scaleIsExact && granted !== due) return `not exact at ${where}`;
    if (verb === "refund") {
      ticks = ticks.refund(nowUs, cost);
      exact = exact.refund(nowUs, cost);
    } else if (verb === "charge" || granted) {
      ticks = ticks.take(nowUs, cost);
      exact = exact.take(nowUs, cost);
    }
  }
  return undefined;
}
