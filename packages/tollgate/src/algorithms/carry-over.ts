import { isSameLimit } from "../core/plan.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { CompiledPlan } from "./compiled-plan.ts";
import type { Kernel } from "./kernel.ts";

/**
 * Writes the cells of a key under other numbers of a limit (`isSameLimit`): what the key has used stays used, and debt
 * stays debt. Under equal numbers every cell stays, bit for bit.
 */
export function carryOver(
  kernel: Kernel,
  cells: Float64Array,
  at: number,
  now: TimeCell,
  from: Kernel,
  theirs: Float64Array,
  theirsAt: number,
): void {
  if (from.limit.fingerprint === kernel.limit.fingerprint) {
    for (let i = 0; i < kernel.size; i += 1) cells[at + i] = theirs[theirsAt + i]!;
    kernel.rebase?.(cells, at, from);
  } else kernel.adoptFrom(cells, at, now, from, theirs, theirsAt);
}

/** A key's cells under a plan. */
export interface CellsOfKey {
  readonly compiled: CompiledPlan;
  readonly cells: Float64Array;
  readonly base: number;
}

/** Writes what a key has used under the limits that both plans have. The other cells of the key stay. */
export function carryOverKey(to: CellsOfKey, from: CellsOfKey, now: TimeCell): void {
  for (const { kernel, offset } of to.compiled.parts) {
    const theirs = from.compiled.parts.find((other) => isSameLimit(other.kernel.limit, kernel.limit));
    if (theirs === undefined) continue;
    carryOver(kernel, to.cells, to.base + offset, now, theirs.kernel, from.cells, from.base + theirs.offset);
  }
}
