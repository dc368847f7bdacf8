import clusterKeySlot from "cluster-key-slot";
import type { KeyCall } from "./batch/key-call.ts";

/** The slot of a key in a cluster. */
export function slotOf(name: string): number {
  return clusterKeySlot(name);
}

/** Calls whose keys are in one slot, and where they stood among all. */
export interface SlotPart {
  readonly calls: readonly KeyCall[];
  /** Where the entries of each call begin in a report about all. */
  readonly at: readonly number[];
}

/** Sorts the calls of one transaction by slot, in the order in which the slots come. */
export function partsBySlot(calls: readonly KeyCall[]): SlotPart[] {
  const parts = new Map<number, { calls: KeyCall[]; at: number[] }>();
  let at = 0;
  for (const call of calls) {
    const slot = slotOf(call.name);
    const part = parts.get(slot) ?? { calls: [], at: [] };
    part.calls.push(call);
    part.at.push(at);
    parts.set(slot, part);
    at += call.costs.length;
  }
  return [...parts.values()];
}
