import type { Cost } from "../core/cost.ts";
import type { CountedCall } from "../limiter/reserving/counted-call.ts";
import type { WaitOptions } from "../limiter/waiting/wait-options.ts";

/** How adapters ask a limiter whose calls they correct, or which wait, or whose limits may count places. */
export interface TakingCalls<Input> {
  take(input: Input, cost?: Cost, wait?: WaitOptions): CountedCall | Promise<CountedCall>;
}

/** Whether calls may take places. The limiter may come from the other copy of this package. */
export function mayTakePlaces(limiter: object): boolean {
  return "mayTakePlaces" in limiter && limiter.mayTakePlaces === true;
}

/** Whether the next call may. Limits of a file say so for the version that is loaded. */
export function mayTakePlacesNow(limiter: object): boolean {
  const { members } = limiter as { readonly members?: { readonly mayTakePlaces: boolean } | undefined };
  return members === undefined || members.mayTakePlaces;
}
