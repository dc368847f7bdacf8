import clusterKeySlot from "cluster-key-slot";
import type { KeyCall } from "./batch/key-call.ts";

/** The cluster slot of a key. */
export function slotOf(name: string): number {
  return clusterKeySlot(name);
}

/** Calls whose keys are in one slot, and their places among all calls. */
export interface SlotPart {
  readonly calls: readonly KeyCall[];
  /** Where the entries of each call begin in the report of all calls. */
  readonly at: readonly number[];
  /** The place of each call among all calls. */
  readonly places: readonly number[];
}

/** Groups the calls of one transaction by slot, in the order of first use. */
export function partsBySlot(calls: readonly KeyCall[]): SlotPart[] {
  const parts = new Map<number, { calls: KeyCall[]; at: number[]; places: number[] }>();
  let at = 0;
  for (const [place, call] of calls.entries()) {
    const slot = slotOf(call.name);
    const part = parts.get(slot) ?? { calls: [], at: [], places: [] };
    part.calls.push(call);
    part.at.push(at);
    part.places.push(place);
    parts.set(slot, part);
    at += call.costs.length;
  }
  return [...parts.values()];
}
