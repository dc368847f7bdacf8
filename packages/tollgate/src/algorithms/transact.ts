import { Report } from "../core/report.ts";
import type { SyncCall, SyncSpace, TakenFrom, Verb } from "../core/store.ts";

/**
 * Applies a verb to several spaces of this process at one instant: all are asked before any is changed, and only other
 * threads come in between, where a space is theirs, too. A denial leaves every cell as it was, unless another thread
 * has changed the same key meanwhile. With `takenFrom`, a refund reaches only keys that still
 * count where those units were taken.
 */
export function transact(verb: Verb, calls: readonly SyncCall[], nowUs: number, takenFrom?: TakenFrom): Report {
  const isRefundOf = verb === "refund" ? takenFrom : undefined;
  const reached = isRefundOf === undefined ? calls : calls.filter((call) => isStillThere(call, nowUs, isRefundOf));
  const report = decideAll(verb, reached, nowUs);
  for (const { space } of calls) space.maintain();
  return report;
}

/**
 * Whether a key has cells of its own, or shares a bucket, as when the units were taken. It gets cells, full, when there
 * is room again; and a key that was idle may find none any more. Given back elsewhere, units would be those of other
 * calls.
 */
function isStillThere({ space, key, costs }: SyncCall, nowUs: number, { overflowed }: TakenFrom): boolean {
  const report = new Report();
  space.apply("explain", key, nowUs, costs, report, 0);
  return (report.overflow === "shared") === (overflowed === true);
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

const NONE = -1;

/**
 * Takes from spaces that other threads change first: of the others, only one that lacks room can deny what it has
 * conformed to.
 *
 * @returns whether all took: another thread may have been quicker, or one may have got the last room in a store that
 * the next needed.
 */
function takeFromAll(calls: readonly SyncCall[], nowUs: number, report: Report): boolean {
  const revocations: (() => void)[] = [];
  let denied = takeFromShared(calls, nowUs, report, revocations);
  if (denied === NONE) denied = takeFromOwn(calls, nowUs, report);
  if (denied === NONE) return true;
  for (const revoke of revocations.toReversed()) revoke();
  let at = 0;
  for (const [i, { space, key, costs }] of calls.entries()) {
    if (i !== denied) {
      if (!isBefore(calls, i, denied)) touch(space, key, costs, nowUs);
      else if (!isShared(space)) refund(space, key, costs, nowUs, report, at);
      // Peeking showed it as if it alone had decided.
      space.apply("explain", key, nowUs, costs, report, at);
    }
    at += costs.length;
  }
  return false;
}

/** @returns the index of the call that was denied, or `NONE`. */
function takeFromShared(
  calls: readonly SyncCall[],
  nowUs: number,
  report: Report,
  revocations: (() => void)[],
): number {
  let at = 0;
  for (let i = 0; i < calls.length; i += 1) {
    const { space, key, costs } = calls[i]!;
    if (space.takeRevocably !== undefined) {
      const revoke = space.takeRevocably(key, nowUs, costs, report, at);
      if (revoke === undefined) return i;
      revocations.push(revoke);
    }
    at += costs.length;
  }
  return NONE;
}

/** @returns the index of the call that was denied, or `NONE`. */
function takeFromOwn(calls: readonly SyncCall[], nowUs: number, report: Report): number {
  let at = 0;
  for (let i = 0; i < calls.length; i += 1) {
    const { space, key, costs } = calls[i]!;
    if (!(isShared(space) || space.apply("take", key, nowUs, costs, report, at))) return i;
    at += costs.length;
  }
  return NONE;
}

/** Whether one call takes before another. */
function isBefore(calls: readonly SyncCall[], i: number, other: number): boolean {
  const isSharedCall = isShared(calls[i]!.space);
  return isSharedCall === isShared(calls[other]!.space) ? i < other : isSharedCall;
}

function isShared({ takeRevocably }: SyncSpace): boolean {
  return takeRevocably !== undefined;
}

/** Gives back what a space of this thread alone took. */
function refund(
  space: SyncSpace,
  key: string,
  costs: readonly number[],
  nowUs: number,
  report: Report,
  at: number,
): void {
  const taken = costs.map((cost, i) => (report.conforms[at + i] ? cost : 0));
  space.apply("refund", key, nowUs, taken, new Report(), 0);
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
