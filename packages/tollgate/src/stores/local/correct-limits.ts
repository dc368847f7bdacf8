import type { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { type CountedLimit, type Kernel, writeNew } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";

/** Where a limit of the call, which has this index, is counted and may be corrected; `undefined` if nowhere. */
export type FindCounted = (limit: Limit, index: number) => CountedLimit | undefined;

/**
 * Corrects what a call took under the limits of a plan (`refund` or `renew` with a `Taken`), limit by limit, where the
 * key is counted now and under the numbers there. It never moves a row, and creates none. Places that are renewed last
 * by the time to live under which they were taken.
 *
 * @returns whether all places that were to be renewed were there.
 */
export function correctLimits(
  { parts }: Pick<CompiledPlan, "parts">,
  find: FindCounted,
  verb: VerbTraits,
  costs: readonly number[],
  now: TimeCell,
  report: Report,
  at: number,
  { untilUs }: Pick<Taken, "untilUs">,
): boolean {
  let all = true;
  for (const [i, { kernel }] of parts.entries()) {
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

/**
 * Begins the time to live of places anew: that of `own`, the limit under which they were taken, wherever they are
 * counted now. Fills the report's entry, and returns whether all were there.
 */
function renewPlaces(
  own: Kernel,
  { kernel, cells, at }: CountedLimit,
  now: TimeCell,
  count: number,
  untilUs: number,
  report: Report,
  entry: number,
): boolean {
  const anewUs = count === 0 ? undefined : own.placesUntilUs?.(now);
  const endUs = anewUs === undefined ? 0 : (kernel.extend?.(cells, at, now, count, untilUs, anewUs) ?? 0);
  report.conforms[entry] = count === 0 || endUs > 0;
  kernel.tell(cells, at, now, 0, report, entry);
  if (endUs > 0) report.untilUs[entry] = endUs;
  return report.conforms[entry];
}
