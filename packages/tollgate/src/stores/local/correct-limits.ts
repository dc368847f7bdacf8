import type { Kernel } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";

/** Where a limit's cells are, and the kernel under whose numbers they were written. */
export interface CountedLimit {
  readonly kernel: Kernel;
  readonly cells: Float64Array;
  readonly at: number;
}

/** Where the limits of a key are counted. */
export interface CountedKey {
  /** Where a limit is counted that the call may correct; `undefined` if nowhere. */
  find(limit: Limit): CountedLimit | undefined;
  /** What a new key counts under the limit of this index, in scratch cells. */
  fresh(index: number): CountedLimit;
}

/**
 * Corrects what a call took (`refund` or `renew` with a `Taken`), limit by limit, where the key is counted now and
 * under the numbers there. It never moves a row, and creates none.
 *
 * @returns whether all places that were to be renewed were there.
 */
export function correctLimits(
  limits: readonly Limit[],
  counted: CountedKey,
  verb: VerbTraits,
  costs: readonly number[],
  now: TimeCell,
  report: Report,
  at: number,
  { untilUs }: Taken,
): boolean {
  let all = true;
  for (const [i, limit] of limits.entries()) {
    const cost = costs[i]!;
    const found = cost === 0 ? undefined : counted.find(limit);
    if (verb.refunds) {
      found?.kernel.giveBack(found.cells, found.at, now, cost, untilUs[i]!);
      continue;
    }
    const isKept = cost === 0 || found?.kernel.extend?.(found.cells, found.at, now, cost, untilUs[i]!) === true;
    report.conforms[at + i] = isKept;
    const { kernel, cells, at: cell } = found ?? counted.fresh(i);
    kernel.tell(cells, cell, now, 0, report, at + i);
    if (!isKept) all = false;
  }
  return all;
}
