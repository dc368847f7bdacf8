import { toMicroseconds } from "../core/duration.ts";
import { countsPlaces } from "../core/limits/concurrency-limit.ts";
import type { Limit } from "../core/limits/limit.ts";
import { Report } from "../core/report.ts";
import type { Call, SyncSpace, TakenFrom } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb } from "../core/verbs.ts";
import { type PartwiseSpace, transactPartwise } from "./transact-partwise.ts";

/** What `transact` needs of a space. */
export type DecidingSpace = Pick<SyncSpace, "plan" | "apply" | "takeRevocably" | "maintain" | "peekKept"> &
  Partial<PartwiseSpace>;

type Calls = readonly Call<DecidingSpace>[];

/**
 * Applies a verb to several spaces of this process at one instant. It peeks at all of them before it takes from any,
 * and only other threads can change a key in between. A denial leaves every cell as it was, unless another thread has
 * changed the same key meanwhile. With `takenFrom`, a refund reaches only keys that still count where those units were
 * taken.
 */
export function transact(
  verb: Verb,
  calls: Calls,
  now: TimeCell,
  takenFrom?: TakenFrom,
  report: Report = new Report(),
): Report {
  const refunded = VERBS[verb].refunds ? takenFrom : undefined;
  const reached =
    refunded === undefined
      ? calls
      : calls.filter(({ space, key, costs }) => countsWhereTaken(space, key, costs, now, refunded, new Report()));
  if (refunded?.takenUs === undefined) decideAll(verb, reached, now, report);
  else freePlaces(reached, refunded.takenUs, now, report);
  for (const { space } of calls) space.maintain();
  return report;
}

/**
 * Whether a key is still counted where the units were taken: in its own cells, or in an overflow bucket. A key moves
 * from its bucket to full cells when the store has capacity again, and an idle key may find none any more. A refund in
 * the other place would give back units of other calls.
 */
export function countsWhereTaken(
  space: DecidingSpace,
  key: string,
  costs: readonly number[],
  now: TimeCell,
  { overflowed }: TakenFrom,
  report: Report,
): boolean {
  // The usual case: the key has cells of its own.
  if (overflowed === undefined && space.peekKept?.(key, 0, now, report) === true) return true;
  space.apply("explain", key, costs, now, report, 0);
  return (report.overflow === "shared") === (overflowed === true);
}

/** Frees the places that were taken at a moment, unless they have expired: then others may have them. */
function freePlaces(calls: Calls, takenUs: number, now: TimeCell, report: Report): void {
  const taken = createTimeCell(takenUs);
  for (const { space, key, costs } of calls) {
    const held = costs.map((cost, i) => (expiresAfter(space.plan.limits[i]!, takenUs, now) ? cost : 0));
    space.apply("refund", key, held, taken, report, 0);
  }
}

function expiresAfter(limit: Limit, takenUs: number, now: TimeCell): boolean {
  return !countsPlaces(limit) || takenUs + toMicroseconds("ttl", limit.ttlMs) > now[0]!;
}

function decideAll(verb: Verb, calls: Calls, now: TimeCell, report: Report): void {
  const first = calls[0];
  if (first === undefined) return;
  const { takes, changes } = VERBS[verb];
  if (calls.length === 1) {
    report.admitted = first.space.apply(verb, first.key, first.costs, now, report, 0);
  } else if (takes === "if all conform") {
    if (transactPartwise(VERBS[verb], calls, now, report)) return;
    report.admitted = applyToAll("peek", calls, now, report);
    if (!report.admitted) describeDenial(changes, calls, now, report);
    else if (changes) report.admitted = takeFromAll(calls, now, report);
  } else {
    report.admitted = applyToAll(verb, calls, now, report);
  }
}

const NONE = -1;

/**
 * Takes from all spaces after all have conformed. Those that other threads change come first. After these, only a lack
 * of capacity can deny.
 *
 * @returns whether all took. Another thread may have taken first, or one space may have used the last slot of a store
 * that another needs.
 */
function takeFromAll(calls: Calls, now: TimeCell, report: Report): boolean {
  const revocations: (() => void)[] = [];
  if (report.isView.length > 0) report.forgetViews();
  let denied = takeFromShared(calls, now, report, revocations);
  if (denied === NONE) denied = takeFromOwn(calls, now, report);
  if (denied === NONE) return true;
  for (const revoke of revocations.toReversed()) revoke();
  let at = 0;
  for (const [i, call] of calls.entries()) {
    if (i !== denied) {
      if (!isBefore(calls, i, denied)) touch(call, now);
      else if (!isShared(call.space)) undo(call, now, report, at);
      // The peek reported each space as if that alone had decided.
      call.space.apply("explain", call.key, call.costs, now, report, at);
    }
    at += call.costs.length;
  }
  return false;
}

/** @returns the index of the call that was denied, or `NONE`. */
function takeFromShared(calls: Calls, now: TimeCell, report: Report, revocations: (() => void)[]): number {
  let at = 0;
  for (let i = 0; i < calls.length; i += 1) {
    const { space, key, costs } = calls[i]!;
    if (space.takeRevocably !== undefined) {
      const revoke = space.takeRevocably(key, costs, now, report, at);
      if (revoke === undefined) return i;
      revocations.push(revoke);
    }
    at += costs.length;
  }
  return NONE;
}

/** @returns the index of the call that was denied, or `NONE`. */
function takeFromOwn(calls: Calls, now: TimeCell, report: Report): number {
  let at = 0;
  for (let i = 0; i < calls.length; i += 1) {
    const { space, key, costs } = calls[i]!;
    if (!(isShared(space) || space.apply("take", key, costs, now, report, at))) return i;
    at += costs.length;
  }
  return NONE;
}

/** Whether one call takes before another. */
function isBefore(calls: Calls, i: number, other: number): boolean {
  const isSharedCall = isShared(calls[i]!.space);
  return isSharedCall === isShared(calls[other]!.space) ? i < other : isSharedCall;
}

/** Whether other threads change the keys of a space. */
function isShared({ takeRevocably }: DecidingSpace): boolean {
  return takeRevocably !== undefined;
}

/** Gives back what a space of this thread alone took. */
function undo({ space, key, costs }: Call<DecidingSpace>, now: TimeCell, report: Report, at: number): void {
  const taken = costs.map((cost, i) => (report.conforms[at + i] ? cost : 0));
  space.apply("refund", key, taken, now, new Report(), 0);
}

function applyToAll(verb: Verb, calls: Calls, now: TimeCell, report: Report): boolean {
  if (report.isView.length > 0) report.forgetViews();
  let admitted = true;
  let at = 0;
  for (const { space, key, costs } of calls) {
    if (!space.apply(verb, key, costs, now, report, at)) admitted = false;
    at += costs.length;
  }
  return admitted;
}

/** The peek reported each space as if that alone had decided. A denial reports them as they are. */
function describeDenial(changes: boolean, calls: Calls, now: TimeCell, report: Report): void {
  if (changes) for (const call of calls) touch(call, now);
  applyToAll("explain", calls, now, report);
}

/**
 * Takes nothing. A bucket that starts empty begins to fill with its first touch, even a denied one. A store also counts
 * the calls of overflowed keys.
 */
function touch({ space, key, costs }: Call<DecidingSpace>, now: TimeCell): void {
  space.apply(
    "take",
    key,
    costs.map(() => 0),
    now,
    new Report(),
    0,
  );
}
