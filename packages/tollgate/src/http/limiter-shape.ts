import type { Cost } from "../core/cost.ts";
import type { AsyncHandle } from "../limiter/async-limiter.ts";
import type { PricedHandle, TakingPlaces } from "../limiter/for-adapters.ts";
import type { Handle } from "../limiter/limiter.ts";

// What the gate looks at is the shape of a limiter, which may come from an older copy of this package.

export type AnyHandle = Handle | AsyncHandle;

/** `undefined` if no limit counts places. */
export function takingPlaces<Input>(limiter: object): TakingPlaces<Input> | undefined {
  return "mayTakePlaces" in limiter && limiter.mayTakePlaces === true && "consumeOrReserve" in limiter
    ? (limiter as TakingPlaces<Input>)
    : undefined;
}

/** What a call costs whose caller states no cost. `undefined` if the limiter finds it for each call. */
export function defaultCostOf(limiter: object): Cost | undefined {
  return "defaultCost" in limiter ? (limiter.defaultCost as Cost | undefined) : 1;
}

/** A handle that waits for its look-up may turn out to be one that finds what calls cost. */
export function readyHandle(handle: AnyHandle): AnyHandle | Promise<AnyHandle> {
  return "ready" in handle ? (handle.ready as Promise<AnyHandle>) : handle;
}

export function isPriced(handle: AnyHandle): handle is AnyHandle & PricedHandle {
  return "costOf" in handle;
}
