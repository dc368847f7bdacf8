import { optionError } from "../core/check-options.ts";
import { isMadeHere } from "./limiter-mark.ts";
import type { StoreLimiter } from "./store-limiter.ts";

/** What metrics use of a limiter, and users do not. */
export type ObservedParts = Pick<
  StoreLimiter<never>,
  "name" | "clock" | "selection" | "watch" | "sources" | "members" | "handleOn"
>;

/** @throws TollgateError `ERR_OPTION`, naming `owner`, unless `createLimiter` or `combine` made the limiter. */
export function observedParts(owner: string, limiter: unknown): ObservedParts {
  if (isMadeHere(limiter)) return limiter as ObservedParts;
  throw optionError(owner, "a limiter made by createLimiter or combine", limiter);
}
