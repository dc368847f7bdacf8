import { Report } from "../core/report.ts";
import type { SyncCall, SyncSpace, Verb } from "../core/store.ts";

/**
 * Applies a verb to several spaces of this process at one instant: all are asked before any is changed, and only other threads come in
 * between, where a space is theirs, too. A denial leaves every cell as it was, unless another thread has changed the same key meanwhile.
 */
export function transact(verb: Verb, calls: readonly SyncCall[], nowUs: number): Report {
  const report = decideAll(verb, calls, nowUs);
  for (const { space } of calls) space.tidy();
  return report;
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

/** A call, and where its entries of the report begin. */
interface Part {
  readonly call: SyncCall;
  readonly at: number;
}

/**
 * @returns whether all took: another thread may have been quicker with one, or one may have got the last room in a store that the next needed.
 */
function takeFromAll(calls: readonly SyncCall[], nowUs: number, report: Report): boolean {
  const parts = inOrderOfTaking(calls);
  const revocations: (() => void)[] = [];
  for (const part of parts) {
    const revoke = take(part, nowUs, report);
    if (revoke === undefined) {
      for (const each of revocations.toReversed()) each();
      describeOthers(parts, part, revocations.length, nowUs, report);
      return false;
    }
    revocations.push(revoke);
  }
  return true;
}

/** First those that other threads may empty meanwhile. Of the others only one that lacks room can still deny. */
function inOrderOfTaking(calls: readonly SyncCall[]): Part[] {
  let at = 0;
  const parts = calls.map((call): Part => {
    const part = { call, at };
    at += call.costs.length;
    return part;
  });
  const isOwn = ({ call }: Part) => call.space.takeRevocably === undefined;
  return [...parts.filter((part) => !isOwn(part)), ...parts.filter(isOwn)];
}

/** @returns what takes back what was taken: `undefined` where the space denies. */
function take({ call, at }: Part, nowUs: number, report: Report): (() => void) | undefined {
  const { space, key, costs } = call;
  if (space.takeRevocably !== undefined) return space.takeRevocably(key, nowUs, costs, report, at);
  if (!space.apply("take", key, nowUs, costs, report, at)) return undefined;
  return () => {
    const taken = costs.map((cost, i) => (report.conforms[at + i] ? cost : 0));
    space.apply("refund", key, nowUs, taken, new Report(), 0);
  };
}

/** Shows the spaces beside the one that denied as they are. `taken` is how many had taken, and given back. */
function describeOthers(parts: readonly Part[], denied: Part, taken: number, nowUs: number, report: Report): void {
  for (const [i, part] of parts.entries()) {
    if (part === denied) continue;
    const { call, at } = part;
    const { space, key, costs } = call;
    if (i > taken) touch(space, key, costs, nowUs);
    space.apply("explain", key, nowUs, costs, report, at);
  }
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
