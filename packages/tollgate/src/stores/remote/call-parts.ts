import type { Report } from "../../core/report.ts";

interface CostedCall {
  readonly costs: readonly number[];
}

/** The calls of a transaction whose keys have one owner: a slot of a cluster, or an object. */
export interface CallPart<C extends CostedCall = CostedCall, Owner = unknown> {
  readonly owner: Owner;
  readonly calls: readonly C[];
  /** Which calls of all these are. */
  readonly indexes: readonly number[];
  /** Where the entries of each call begin in the report of all calls. */
  readonly at: readonly number[];
}

/** Groups the calls of a transaction by owner, in the order of first use. */
export function partsByOwner<C extends CostedCall, Owner>(
  calls: readonly C[],
  ownerOf: (call: C) => Owner,
): CallPart<C, Owner>[] {
  const parts = new Map<Owner, { owner: Owner; calls: C[]; indexes: number[]; at: number[] }>();
  let at = 0;
  for (const [index, call] of calls.entries()) {
    const owner = ownerOf(call);
    const part = parts.get(owner) ?? { owner, calls: [], indexes: [], at: [] };
    parts.set(owner, part);
    part.calls.push(call);
    part.indexes.push(index);
    part.at.push(at);
    at += call.costs.length;
  }
  return [...parts.values()];
}

/** Writes the answer to a part into the report of all calls. */
export function addAnswer(answer: Report, { calls, indexes, at }: CallPart, report: Report): void {
  const { block, hasEntries } = answer;
  if (block !== undefined && block.forUs > (report.block?.forUs ?? 0)) report.block = block;
  let from = 0;
  for (const [i, { costs }] of calls.entries()) {
    report.resetsOf[indexes[i]!] = answer.resetsOf[i] ?? answer.resets;
    const entries = hasEntries ? costs.length : 0;
    for (let limit = 0; limit < entries; limit += 1) copyEntry(answer, from + limit, report, at[i]! + limit);
    from += costs.length;
  }
}

function copyEntry(from: Report, source: number, to: Report, target: number): void {
  to.conforms[target] = from.conforms[source]!;
  to.used[target] = from.used[source]!;
  to.waitUs[target] = from.waitUs[source]!;
  to.usedAfterWait[target] = from.usedAfterWait[source]!;
  to.resetUs[target] = from.resetUs[source]!;
  const until = from.untilUs[source];
  if (until !== undefined) to.untilUs[target] = until;
  const kept = from.keptLimits[source];
  if (kept !== undefined || to.keptLimits.length > target) to.keptLimits[target] = kept;
  if (from.isView[source] === true || to.isView.length > target) to.isView[target] = from.isView[source] === true;
}
