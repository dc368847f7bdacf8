import type { FleetResult } from "./fleet-node.ts";
import { SLOT_MS } from "./shared-clock.ts";

/**
 * Units beyond the capacity and what refills, in the worst window of all slots. A call counts in windows in which it
 * began and ended, so it was decided there, however late its answer came.
 */
export function excessOf(results: readonly FleetResult[], capacity: number, perSecond: number): number {
  const calls = results.flatMap(({ admitted }) => admitted);
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
