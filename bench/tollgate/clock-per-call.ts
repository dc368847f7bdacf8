import { type Clock, type SyncStore, systemClock } from "tollgate";

/** The store's own, where it has one. */
export function openClock(store: SyncStore): Clock {
  return store.clock ?? systemClock;
}
