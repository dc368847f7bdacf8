import { countsName, type Scope } from "../../core/plan.ts";
import type { AsyncSpace, AsyncStore, Call, SyncSpace, SyncStore } from "../../core/store.ts";

/** A space of a store in this process, or of one elsewhere. Only the askers know which. */
export type Space = SyncSpace | AsyncSpace;

/** A key in a space, and what a call costs there. */
export type SpaceCall = Call<Space>;

/** Where a limiter's cells are. Limiters of one source may share cells. */
export interface Source {
  /** The store, or the `identity` that several objects of one store share. */
  readonly store: SyncStore | AsyncStore | string;
  /** The store, as this limiter has opened it. */
  readonly opened: SyncStore | AsyncStore;
  readonly scope: Scope;
}

/**
 * One space for all that count the same: forgetting by one forgets for all. Each space of a store elsewhere may
 * remember denials and leases, so these all stay.
 */
export function distinctCounts(spaces: readonly Space[]): Space[] {
  return [...new Map(spaces.map((space) => [countsOf(space), space])).values()];
}

function countsOf(space: Space): string {
  const { id, limits, onChange } = space.plan;
  const isAlone = onChange === "separate" || !("apply" in space);
  return isAlone ? id : limits.map(countsName).sort().join("\n");
}
