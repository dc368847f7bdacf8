import { type Kernel, writeNew } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isSameLimit } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";
import type { ListVerbs } from "./list-verbs.ts";
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
  list: ListVerbs,
  store: SpaceStore,
  verb: VerbTraits,
  key: string,
  costs: readonly number[],
  now: TimeCell,
  report: Report,
  at: number,
  taken: Taken,
): boolean {
  const text = store.textOf(key);
  const isForgotten = store.resetLog.hasForgotten(list.plan.scope, store.hashOf(text), taken.resets);
  let all = true;
  for (const [i, limit] of list.plan.limits.entries()) {
    const cost = costs[i]!;
    const untilUs = taken.untilUs[i]!;
    const counted = isForgotten || cost === 0 ? undefined : find(list, store, limit, text, now, taken);
    if (verb.refunds) {
      counted?.kernel.giveBack(counted.cells, counted.at, now, cost, untilUs);
      continue;
    }
    const isKept = cost === 0 || counted?.kernel.extend?.(counted.cells, counted.at, now, cost, untilUs) === true;
    report.conforms[at + i] = isKept;
    const { kernel, cells, at: cell } = counted ?? newCells(list, store, i, now);
    kernel.tell(cells, cell, now, 0, report, at + i);
    if (!isKept) all = false;
  }
  return all;
}

function find(
  { plan, scope }: ListVerbs,
  store: SpaceStore,
  limit: Limit,
  text: string,
  now: TimeCell,
  { where }: Taken,
): Counted | undefined {
  const isOwn = where === "own";
  for (const table of isOwn ? scope.tablesWith(text, plan) : [scope.find(plan)]) {
    table?.reach(now);
    const part = table?.compiled.parts.find(({ kernel }) => isSameLimit(kernel.limit, limit));
    if (table === undefined || part === undefined) continue;
    const base = isOwn ? table.locateOnce(text) : table.buckets.baseOf(store.hashOf(text));
    const cells = isOwn ? table.cells : table.buckets.cells;
    if (cells !== undefined && base >= 0) return { kernel: part.kernel, cells, at: base + part.offset };
  }
  return undefined;
}

/** What a new key counts under one of the limits, in scratch cells. */
function newCells(list: ListVerbs, store: SpaceStore, limit: number, now: TimeCell): Counted {
  list.tableAt(now);
  const { scratch: cells } = store.capacity;
  const { kernel, offset: at } = list.compiled.parts[limit]!;
  writeNew(kernel, cells, at, now);
  return { kernel, cells, at };
}
