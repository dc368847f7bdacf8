import type { LeasePlace, PlacedLease } from "./lease-place.ts";

/** A lease of a key as a thread has seen it last. */
export interface SeenLease extends PlacedLease {
  readonly place: LeasePlace;
  readonly tag: number;
  /** Whether nothing is left of it. The script does not know it yet. */
  isSpent: boolean;
  /** Units that the script counts for it, as far as this thread knows. */
  known: readonly number[];
  /** What was left at a moment. While it is the same, nothing was spent since. */
  left: readonly number[];
  leftUs: number;
}

/** Whether it has not ended. */
export function lasts({ lastUs, lastWallUs }: PlacedLease, us: number, wallUs: number): boolean {
  return us < lastUs && wallUs < lastWallUs;
}

/** Spends a cost of it, unless it has ended or does not cover the cost. */
export function spendOf(lease: SeenLease, costs: readonly number[], us: number, wallUs: number): boolean {
  if (lease.isSpent || !lasts(lease, us, wallUs)) return false;
  if (lease.place.spend(costs, lease.tag)) return true;
  lease.isSpent = costs.every((_, limit) => lease.place.left(limit, lease.tag) === 0);
  return false;
}
