import { optionError } from "../core/check-options.ts";
import type { Clock } from "../core/clock.ts";
import { isMadeHere } from "./limiter-mark.ts";
import type { Lines } from "./lines.ts";
import type { Observers } from "./observers.ts";
import type { Selection, Source } from "./selection.ts";
import type { PlannedSpace } from "./space-list.ts";

/** What metrics use of a limiter, and users do not. */
export interface ObservedParts {
  readonly name: string;
  readonly clock: Clock;
  readonly selection: Pick<Selection<never, PlannedSpace>, "fixed">;
  readonly observers: Pick<Observers, "addTap" | "addMeter">;
  readonly sources: readonly Source[];
  /** Where calls wait. A combination has those of its limiters. */
  readonly lines: readonly Pick<Lines<PlannedSpace>, "waiting">[];
}

/** A limiter that looks its input up, and then asks another. */
interface LookupParts {
  readonly limiter: ObservedParts;
}

/** @throws TollgateError `ERR_OPTION`, naming `owner`, unless `createLimiter` or `combine` made the limiter. */
export function observedParts(owner: string, limiter: unknown): ObservedParts {
  if (isMadeHere(limiter)) return partsOf(limiter as ObservedParts | LookupParts);
  throw optionError(owner, "a limiter made by createLimiter or combine", limiter);
}

function partsOf(limiter: ObservedParts | LookupParts): ObservedParts {
  return "limiter" in limiter ? limiter.limiter : limiter;
}
