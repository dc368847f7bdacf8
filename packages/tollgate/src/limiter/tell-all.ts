import type { Observer } from "../core/observer.ts";

/** One observer that tells all of them; `undefined` where there are none. */
export function tellAll(observers: readonly Observer[]): Observer | undefined {
  if (observers.length <= 1) return observers[0];
  return (observation) => {
    for (const observe of observers) observe(observation);
  };
}
