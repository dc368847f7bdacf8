import { optionError } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import { isMadeHere } from "./limiter-mark.ts";
import type { Observers } from "./observers.ts";

/** What metrics use of a limiter, and users do not. */
export interface ObservedParts {
  readonly name: string;
  readonly clock: Clock;
  readonly observers: Pick<Observers, "addTap">;
}

/** @throws TollgateError `ERR_OPTION`, naming `owner`, unless `createLimiter` or `combine` made the limiter. */
export function observedParts(owner: string, limiter: unknown): ObservedParts {
  if (isMadeHere(limiter)) return limiter as ObservedParts;
  throw optionError(owner, "a limiter made by createLimiter or combine", limiter);
}
