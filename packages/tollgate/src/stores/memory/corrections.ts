import type { CountedLimit } from "../../algorithms/kernel.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isSameLimit } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { VerbTraits } from "../../core/verbs.ts";
import { correctLimits } from "../local/correct-limits.ts";
import type { ListVerbs } from "./list-verbs.ts";
import type { SpaceStore } from "./space-store.ts";

/** Works like `correctLimits`, for a key of a list. It does nothing under limits that were reset since. */
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
  const text = store.texts.of(key);
  const { limitHashes } = list;
  const keyHash = store.texts.hashOf(text);
  const isForgotten = limitHashes.map((hash) => store.resetLog.hasForgotten(hash, keyHash, taken.resets));
  list.tableAt(now);
  const findCounted = (limit: Limit, index: number) =>
    isForgotten[index] === true ? undefined : find(list, store, limit, text, now, taken);
  return correctLimits(list.compiled, findCounted, verb, costs, now, report, at, taken);
}

function find(
  { plan, scope }: ListVerbs,
  store: SpaceStore,
  limit: Limit,
  text: string,
  now: TimeCell,
  { where }: Taken,
): CountedLimit | undefined {
  const isOwn = where === "own";
  for (const table of isOwn ? scope.tablesWith(text, plan) : [scope.find(plan)]) {
    table?.reach(now);
    const part = table?.compiled.parts.find(({ kernel }) => isSameLimit(kernel.limit, limit));
    if (table === undefined || part === undefined) continue;
    const base = isOwn ? table.locateOnce(text) : table.buckets.baseOf(store.texts.hashOf(text));
    const cells = isOwn ? table.cells : table.buckets.cells;
    if (cells !== undefined && base >= 0) return { kernel: part.kernel, cells, at: base + part.offset };
  }
  return undefined;
}
