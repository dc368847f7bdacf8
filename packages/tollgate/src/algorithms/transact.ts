import { Report } from "../core/report.ts";
import type { Call, SyncSpace } from "../core/store.ts";
import { type Taken, UndoRecord } from "../core/taken.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb } from "../core/verbs.ts";

/** What `transact` needs of a space. */
export type DecidingSpace = Pick<
  SyncSpace,
  "plan" | "isSharedByThreads" | "apply" | "takeUndoably" | "undo" | "maintain"
>;

type Calls = readonly Call<DecidingSpace>[];

/** No call. */
const NONE = -1;

/**
 * Applies a verb to spaces of this process at one instant, all or nothing: it takes from one space after another, and
 * undoes what it took if one denies. Nothing runs in between, except other threads on a shared store. A denial leaves
 * every cell as it was, bit for bit, unless such a thread has changed it meanwhile. `taken` has a receipt for each call
 * that is corrected.
 *
 * @example
 * ```ts
 * import { memoryStore, perMinute, systemClock } from "tollgate";
 * import { createPlan, createTimeCell, transact } from "tollgate/store";
 *
 * const store = memoryStore();
 * const user = store.open(createPlan("user", "user", [perMinute(5)]), { clock: systemClock });
 * const team = store.open(createPlan("team", "team", [perMinute(1)]), { clock: systemClock });
 * const calls = [
 *   { space: user, key: "ann", costs: [1] },
 *   { space: team, key: "red", costs: [1] },
 * ];
 * const now = createTimeCell(0);
 * console.log(transact("take", calls, now).admitted, transact("take", calls, now).admitted); // true false
 * console.log(transact("explain", calls, now).used); // [ 1, 1 ]
 * ```
 */
export function transact(
  verb: Verb,
  calls: Calls,
  now: TimeCell,
  taken?: readonly Taken[],
  report: Report = new Report(),
): Report {
  const first = calls[0];
  if (first === undefined) return report;
  if (calls.length === 1) {
    report.admitted = first.space.apply(verb, first.key, first.costs, now, report, 0, taken?.[0]);
    first.space.maintain();
    return report;
  }
  const { takes, changes } = VERBS[verb];
  if (takes === "if all conform" && changes) report.admitted = takeFromAll(calls, now, report);
  else report.admitted = applyToAll(verb, calls, now, report, taken);
  // Each space reported as if that alone had decided. A denial reports all as they are.
  if (takes === "if all conform" && !changes && !report.admitted) applyToAll("explain", calls, now, report);
  for (const { space } of calls) space.maintain();
  return report;
}

function applyToAll(verb: Verb, calls: Calls, now: TimeCell, report: Report, taken?: readonly Taken[]): boolean {
  if (report.isView.length > 0) report.forgetViews();
  let admitted = true;
  let at = 0;
  for (const [i, { space, key, costs }] of calls.entries()) {
    if (!space.apply(verb, key, costs, now, report, at, taken?.[i])) admitted = false;
    noteWhere(report, i);
    at += costs.length;
  }
  readOverflow(report);
  return admitted;
}

/** @returns whether all took. If not, none has. */
function takeFromAll(calls: Calls, now: TimeCell, report: Report): boolean {
  // What threads have changed meanwhile cannot always be undone, so only a lost race may come to that.
  if (calls.some(({ space }) => space.isSharedByThreads) && !applyToAll("peek", calls, now, report)) {
    explainDenial(calls, NONE, now, report);
    readOverflow(report);
    return false;
  }
  const records: UndoRecord[] = [];
  let at = 0;
  for (const [i, call] of calls.entries()) {
    const record = new UndoRecord();
    if (!take(call, now, report, at, record)) {
      noteWhere(report, i);
      for (let before = i - 1; before >= 0; before -= 1) undo(calls[before]!, now, records[before]!);
      explainDenial(calls, i, now, report);
      readOverflow(report);
      return false;
    }
    noteWhere(report, i);
    records.push(record);
    at += call.costs.length;
  }
  readOverflow(report);
  return true;
}

/**
 * Reports the spaces of a denied call as they are. One that denied for lack of a slot has done so already: another take
 * may have got that slot, so that it would find the slot by now.
 */
function explainDenial(calls: Calls, denying: number, now: TimeCell, report: Report): void {
  let at = 0;
  for (const [i, { space, key, costs }] of calls.entries()) {
    // A bucket that starts empty begins to fill with its first touch, even a denied one.
    const nothing = costs.map(() => 0);
    if (i !== denying) space.apply("take", key, nothing, now, new Report(), 0);
    if (i !== denying || report.overflowOf[i] === undefined) {
      space.apply("explain", key, costs, now, report, at);
      noteWhere(report, i);
    }
    at += costs.length;
  }
}

function take(
  { space, key, costs }: Call<DecidingSpace>,
  now: TimeCell,
  report: Report,
  at: number,
  record: UndoRecord,
): boolean {
  if (space.takeUndoably !== undefined) return space.takeUndoably(key, costs, now, report, at, record);
  if (!space.apply("take", key, costs, now, report, at)) return false;
  for (let i = 0; i < costs.length; i += 1) record.numbers[i] = report.conforms[at + i] ? costs[i]! : 0;
  return true;
}

function undo({ space, key }: Call<DecidingSpace>, now: TimeCell, record: UndoRecord): void {
  if (space.undo !== undefined) space.undo(record, now);
  else space.apply("refund", key, record.numbers, now, new Report(), 0);
}

/** Notes of one of several keys what a correction has to know: it acts on each by itself. */
function noteWhere(report: Report, call: number): void {
  report.overflowOf[call] = report.overflow;
  report.overflow = undefined;
  report.resetsOf[call] = report.resets;
  report.resets = undefined;
}

function readOverflow(report: Report): void {
  report.overflow = report.overflowOf.find((overflow) => overflow !== undefined);
}
