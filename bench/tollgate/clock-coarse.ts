import { type Clock, coarseClock, type SyncStore } from "tollgate";

/** Over the store's own, where it has one. */
export function openClock(store: SyncStore): Clock {
  return coarseClock(store.clock);
}
