import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";

/** Whether a verb changes nothing. */
export function looks(verb: Verb): boolean {
  return verb === "peek" || verb === "explain";
}

/**
 * Applies a verb to the cells of a key, or to a copy of them where it only looks.
 *
 * @returns whether every enforcing limit conformed.
 */
export function applyVerb(
  compiled: CompiledPlan,
  cells: Float64Array,
  base: number,
  verb: Verb,
  now: TimeCell,
  costs: readonly number[],
  report: Report,
  at: number,
): boolean {
  // A full bucket that should be forgotten is as good as a new one; one that starts empty is not.
  if (compiled.plan.startsEmpty && compiled.isIdle(cells, base, now)) compiled.init(cells, base, now);
  const admitted = compiled.conform(cells, base, now, costs, report, at);
  compiled.change(verb, admitted, cells, base, now, costs, report, at);
  if (verb !== "refund") compiled.describe(cells, base, now, costs, report, at);
  return admitted;
}
