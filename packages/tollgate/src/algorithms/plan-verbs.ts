import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Verb } from "../core/store.ts";
import type { CompiledPlan } from "./compile-plan.ts";

// What the verbs mean for the cells of one key, which begin at `base`. Every store that runs kernels uses these, on the
// cells themselves or on a copy that it publishes afterwards.

/** Writes the cells of a new key. */
export function initCells(compiled: CompiledPlan, cells: Float64Array, base: number, nowUs: number): void {
  const { kernels, offsets } = compiled;
  for (let i = 0; i < kernels.length; i += 1) kernels[i]!.init(cells, base + offsets[i]!, nowUs);
}

/** Whether a key is as good as new: nothing has counted against any of its limits for the plan's idle time. */
export function isDroppable(compiled: CompiledPlan, cells: Float64Array, base: number, nowUs: number): boolean {
  const { kernels, offsets, idleTtlUs } = compiled;
  for (let i = 0; i < kernels.length; i += 1) {
    if (kernels[i]!.resetUs(cells, base + offsets[i]!, nowUs - idleTtlUs) > 0) return false;
  }
  return true;
}

/** Notes in the report which limits conform, and returns whether all enforcing ones do. */
export function conformAll(
  plan: Plan,
  compiled: CompiledPlan,
  cells: Float64Array,
  base: number,
  nowUs: number,
  costs: readonly number[],
  report: Report,
  at: number,
): boolean {
  const { kernels, offsets } = compiled;
  let admitted = true;
  for (let i = 0; i < kernels.length; i += 1) {
    const conforms = kernels[i]!.conforms(cells, base + offsets[i]!, nowUs, costs[i]!);
    report.conforms[at + i] = conforms;
    if (!conforms && plan.enforces[i]!) admitted = false;
  }
  return admitted;
}

/**
 * Changes the cells as the verb says, after `conformAll` filled the report. `peek` changes them as `take` does: give it
 * a copy.
 *
 * @returns whether anything was taken or given back.
 */
export function changeCells(
  plan: Plan,
  compiled: CompiledPlan,
  verb: Verb,
  admitted: boolean,
  cells: Float64Array,
  base: number,
  nowUs: number,
  costs: readonly number[],
  report: Report,
  at: number,
): boolean {
  const { kernels, offsets } = compiled;
  if (verb === "explain" || (!admitted && (verb === "take" || verb === "peek"))) return false;
  let changed = false;
  for (let i = 0; i < kernels.length; i += 1) {
    const cost = costs[i]!;
    if (cost === 0) continue;
    const kernel = kernels[i]!;
    const cell = base + offsets[i]!;
    if (verb === "refund") kernel.giveBack(cells, cell, nowUs, cost);
    else if (verb === "charge" || plan.enforces[i]! || report.conforms[at + i]!) kernel.take(cells, cell, nowUs, cost);
    else continue;
    changed = true;
  }
  return changed;
}

/** Fills the report's figures from the cells as they stand after the verb. */
export function describeCells(
  compiled: CompiledPlan,
  cells: Float64Array,
  base: number,
  nowUs: number,
  costs: readonly number[],
  report: Report,
  at: number,
): void {
  const { kernels, offsets } = compiled;
  for (let i = 0; i < kernels.length; i += 1) {
    const kernel = kernels[i]!;
    const cell = base + offsets[i]!;
    const waitUs = kernel.waitUs(cells, cell, nowUs, costs[i]!);
    report.used[at + i] = kernel.used(cells, cell, nowUs);
    report.waitUs[at + i] = waitUs;
    report.usedAfterWait[at + i] = Number.isFinite(waitUs) ? kernel.used(cells, cell, nowUs + waitUs) : 0;
    report.resetUs[at + i] = kernel.resetUs(cells, cell, nowUs);
  }
}
