import type { AdmittedCalls, FleetResult } from "./fleet-node.ts";
import { SLOT_MS } from "./shared-clock.ts";

/** Units of a key beyond its capacity and what refills, in the worst window of the worst key. */
export function excessOf(results: readonly FleetResult[], capacity: number, perSecond: number): number {
  const byKey = new Map<number, AdmittedCalls[]>();
  for (const calls of results.flatMap(({ admitted }) => admitted)) {
    byKey.set(calls.key, [...(byKey.get(calls.key) ?? []), calls]);
  }
  return Math.max(...[...byKey.values()].map((calls) => excessOfKey(calls, capacity, perSecond)));
}

/**
 * The excess in the worst window of all slots. A call counts in windows in which it began and ended, so it was decided
 * there, however late its answer came.
 */
function excessOfKey(calls: readonly AdmittedCalls[], capacity: number, perSecond: number): number {
  const all = calls.reduce((sum, its) => sum + its.calls, 0);
  if (all <= capacity) return all - capacity;
  const last = Math.max(...calls.map(({ endedSlot }) => endedSlot));
  const first = Math.min(...calls.map(({ beganSlot }) => beganSlot));
  const byBegin = new Map<number, typeof calls>();
  for (const call of calls) byBegin.set(call.beganSlot, [...(byBegin.get(call.beganSlot) ?? []), call]);
  // For each last slot of a window, the calls that began since its first slot and ended by then.
  const ended = new Float64Array(last - first + 1);
  let worst = Number.NEGATIVE_INFINITY;
  for (let from = last; from >= first; from -= 1) {
    for (const { endedSlot, calls: count } of byBegin.get(from) ?? []) ended[endedSlot - first]! += count;
    let units = 0;
    for (let to = from; to <= last; to += 1) {
      units += ended[to - first]!;
      worst = Math.max(worst, units - capacity - (perSecond * (to - from + 1) * SLOT_MS) / 1_000);
    }
  }
  return worst;
}
