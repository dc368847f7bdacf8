import { type CountedLimit, type Kernel, renewPlaces, writeNew } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";

/** Where a limit of the call, which has this index, is counted and may be corrected; `undefined` if nowhere. */
export type FindCounted = (limit: Limit, index: number) => CountedLimit | undefined;

/**
 * Corrects what a call took under the limits of `own` (`refund` or `renew` with a `Taken`), limit by limit, where the
 * key is counted now and under the numbers there. It never moves a row, and creates none. Places that are renewed last
 * by the time to live under which they were taken.
 *
 * @returns whether all places that were to be renewed were there.
 */
export function correctLimits(
  own: readonly Kernel[],
  find: FindCounted,
  verb: VerbTraits,
  costs: readonly number[],
  now: TimeCell,
  report: Report,
  at: number,
  { untilUs }: Pick<Taken, "untilUs">,
): boolean {
  let all = true;
  for (const [i, kernel] of own.entries()) {
    const cost = costs[i]!;
    const found = cost === 0 ? undefined : find(kernel.limit, i);
    if (verb.refunds) found?.kernel.giveBack(found.cells, found.at, now, cost, untilUs[i]!);
    else if (!renewPlaces(kernel, found ?? newKey(kernel, now), now, cost, untilUs[i]!, report, at + i)) all = false;
  }
  return all;
}

/** A new key has kept nothing. */
function newKey(kernel: Kernel, now: TimeCell): CountedLimit {
  const cells = new Float64Array(kernel.size);
  writeNew(kernel, cells, 0, now);
  return { kernel, cells, at: 0 };
}
