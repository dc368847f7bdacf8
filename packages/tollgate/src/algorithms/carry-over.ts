import { isSameLimit } from "../core/plan.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { CompiledPlan } from "./compiled-plan.ts";
import type { Kernel, Part } from "./kernel.ts";

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

/** A copy of a key's cells, with the limits that it counts there. */
export interface CountedCells {
  readonly parts: readonly Part[];
  readonly cells: Float64Array;
}

/** Writes the cells of a key under a plan: those of a new key, and what it has used under limits that others count. */
export function carryOverKey(
  compiled: CompiledPlan,
  cells: Float64Array,
  former: readonly CountedCells[],
  now: TimeCell,
): void {
  compiled.init(cells, 0, now);
  for (const { parts, cells: theirs } of former) {
    for (const { kernel, offset } of compiled.parts) {
      const their = parts.find((part) => isSameLimit(part.kernel.limit, kernel.limit));
      if (their !== undefined) carryOver(kernel, cells, offset, now, their.kernel, theirs, their.offset);
    }
  }
}
