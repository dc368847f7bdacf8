import { type Kernel, writeNew } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isSameLimit } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";
import type { PlanView } from "./plan-view.ts";
import type { SpaceStore } from "./space-store.ts";

/** Where a limit's cells are, and the kernel under whose numbers they were written. */
interface Counted {
  readonly kernel: Kernel;
  readonly cells: Float64Array;
  readonly at: number;
}

/**
 * Corrects what a call took (`refund` or `renew` with a `Taken`), limit by limit, where the key is counted now and
 * under the numbers there. It never moves a row, and creates none. After a reset of the key it does nothing.
 *
 * @returns whether all places that were to be renewed were there.
 */
export function correct(
  view: PlanView,
  store: SpaceStore,
  verb: VerbTraits,
  key: string,
  costs: readonly number[],
  now: TimeCell,
  report: Report,
  at: number,
  taken: Taken,
): boolean {
  const { limits, scope } = view.plan;
  const isForgotten = store.resetLog.hasForgotten(scope, store.placeHashOf(key), taken.resets);
  let all = true;
  for (const [i, limit] of limits.entries()) {
    const cost = costs[i]!;
    const untilUs = taken.untilUs[i]!;
    const counted = isForgotten || cost === 0 ? undefined : find(view, limit, key, now, taken);
    if (verb.refunds) {
      counted?.kernel.giveBack(counted.cells, counted.at, now, cost, untilUs);
      continue;
    }
    const isKept = cost === 0 || counted?.kernel.extend?.(counted.cells, counted.at, now, cost, untilUs) === true;
    report.conforms[at + i] = isKept;
    const { kernel, cells, at: cell } = counted ?? newCells(view, store, i, now);
    kernel.tell(cells, cell, now, 0, report, at + i);
    if (!isKept) all = false;
  }
  return all;
}

function find(view: PlanView, limit: Limit, key: string, now: TimeCell, { where }: Taken): Counted | undefined {
  const tables = where === "own" ? view.tablesWith(key) : view.everyTable;
  for (const table of tables) {
    table.reach(now);
    const part = table.compiled.parts.find(({ kernel }) => isSameLimit(kernel.limit, limit));
    if (part === undefined) continue;
    const { kernel, offset } = part;
    if (where === "own") {
      const base = table.locateOnce(key);
      if (base >= 0) return { kernel, cells: table.cells, at: base + offset };
    } else if (table.hasOverflow) {
      const buckets = table.overflow(now);
      const { cells } = buckets;
      const at = buckets.baseOf(table.capacity.bucketNumbers.of(key)) + offset;
      // What counts in a bucket moves to the list that was asked last, and leaves an idle bucket behind.
      if (!kernel.isIdle(cells, at, now)) return { kernel, cells, at };
    }
  }
  return undefined;
}

/** What a new key counts under one of the limits, in scratch cells. */
function newCells(view: PlanView, store: SpaceStore, limit: number, now: TimeCell): Counted {
  view.tableAt(now);
  const { scratch: cells } = store.capacity;
  const { kernel, offset: at } = view.compiled.parts[limit]!;
  writeNew(kernel, cells, at, now);
  return { kernel, cells, at };
}
