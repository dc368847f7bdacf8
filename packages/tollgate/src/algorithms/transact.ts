import { Report } from "../core/report.ts";
import type { SyncCall, SyncSpace, TakenFrom, Verb } from "../core/store.ts";

/**
 * Applies a verb to several spaces of this process at one instant: everybody is asked before anybody is changed, and
 * nothing else runs in between. A denial leaves every cell as it was. With `takenFrom`, a refund reaches only keys that still count
 * where those units were taken.
 */
export function transact(verb: Verb, calls: readonly SyncCall[], nowUs: number, takenFrom?: TakenFrom): Report {
  const isRefundOf = verb === "refund" ? takenFrom : undefined;
  const reached = isRefundOf === undefined ? calls : calls.filter((call) => isStillThere(call, nowUs, isRefundOf));
  const report = decideAll(verb, reached, nowUs);
  for (const { space } of calls) space.tidy();
  return report;
}

/**
 * Whether a key has cells of its own, or shares a bucket, as when the units were taken. It gets cells, full, when there is room again; and a
 * key that was idle may find none any more. Given back elsewhere, units would be those of other calls.
 */
function isStillThere({ space, key, costs }: SyncCall, nowUs: number, { shared }: TakenFrom): boolean {
  const report = new Report();
  space.apply("explain", key, nowUs, costs, report, 0);
  return (report.overflow === "shared") === (shared === true);
}

function decideAll(verb: Verb, calls: readonly SyncCall[], nowUs: number): Report {
  const report = new Report();
  const [first] = calls;
  if (first === undefined) return report;
  if (calls.length === 1) {
    report.admitted = first.space.apply(verb, first.key, nowUs, first.costs, report, 0);
  } else if (verb === "take" || verb === "peek") {
    report.admitted = applyToAll("peek", calls, nowUs, report);
    if (!report.admitted) describeDenial(verb, calls, nowUs, report);
    else if (verb === "take") report.admitted = takeFromAll(calls, nowUs, report);
  } else {
    report.admitted = applyToAll(verb, calls, nowUs, report);
  }
  return report;
}

/** @returns whether all took: one may have got the last room in a store, so that the next has to share a bucket. */
function takeFromAll(calls: readonly SyncCall[], nowUs: number, report: Report): boolean {
  if (applyToAll("take", calls, nowUs, report)) return true;
  let at = 0;
  for (const { space, key, costs } of calls) {
    if (took(space, report, at)) {
      const taken = costs.map((cost, i) => (report.conforms[at + i] && mayGiveBack(space, i) ? cost : 0));
      space.apply("refund", key, nowUs, taken, new Report(), 0);
      space.apply("explain", key, nowUs, costs, report, at);
    }
    at += costs.length;
  }
  return false;
}

/**
 * In a window that others changed since, a refund may give back their units, and so admit too many: what it took stays taken. A bucket is
 * given back what it gave. That is too much only where it had become full again before others took from it, within the moment of this call.
 */
function mayGiveBack({ concurrent, plan }: SyncSpace, limit: number): boolean {
  return concurrent !== true || plan.limits[limit]!.algorithm === "token-bucket";
}

function took({ plan }: SyncSpace, report: Report, at: number): boolean {
  return plan.enforces.every((enforces, i) => !enforces || report.conforms[at + i]!);
}

function applyToAll(verb: Verb, calls: readonly SyncCall[], nowUs: number, report: Report): boolean {
  let admitted = true;
  let at = 0;
  for (const { space, key, costs } of calls) {
    if (!space.apply(verb, key, nowUs, costs, report, at)) admitted = false;
    at += costs.length;
  }
  return admitted;
}

/** Peeking showed every space as if it alone had decided; a denial shows them as they are. */
function describeDenial(verb: "take" | "peek", calls: readonly SyncCall[], nowUs: number, report: Report): void {
  if (verb === "take") {
    for (const { space, key, costs } of calls) touch(space, key, costs, nowUs);
  }
  applyToAll("explain", calls, nowUs, report);
}

/**
 * Asks for nothing: a bucket that starts empty starts to fill with its first touch, even a denied one, and a store counts the
 * calls that find no room.
 */
function touch(space: SyncSpace, key: string, costs: readonly number[], nowUs: number): void {
  const nothing = costs.map(() => 0);
  space.apply("take", key, nowUs, nothing, new Report(), 0);
}
