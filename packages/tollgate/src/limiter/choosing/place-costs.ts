import type { Cost } from "../../core/cost.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { CONCURRENT_REQUESTS, countsPlaces } from "../../core/limits/places.ts";

/**
 * What a call does to places: a reservation takes them, unless its cost names their number one each. Corrections of
 * other units leave them as they are.
 */
export type PlaceUse = "taken" | "kept";

/** Writes the cost of each limit that counts places into `out`. @throws TollgateError `ERR_COST`. */
export function readPlacesInto(out: number[], cost: Cost, limits: readonly Limit[], use: PlaceUse): void {
  const named = typeof cost === "object" && Object.hasOwn(cost, CONCURRENT_REQUESTS);
  if (named && use === "kept") checkKeepsPlaces(cost);
  // A plain cost counts places if nothing else is counted.
  const isTaken = named || (typeof cost === "number" && limits.every(countsPlaces));
  for (let i = 0; i < limits.length; i += 1) {
    if (!countsPlaces(limits[i]!)) continue;
    if (use === "kept") out[i] = 0;
    else if (!isTaken) out[i] = 1;
  }
}

/** @throws TollgateError `ERR_COST` if the cost of a correction names places. */
function checkKeepsPlaces(cost: Cost): void {
  if (typeof cost !== "object" || !Object.hasOwn(cost, CONCURRENT_REQUESTS)) return;
  throw new TollgateError(
    "ERR_COST",
    `cost: expected units that are charged and refunded, got "${CONCURRENT_REQUESTS}": reserve takes places, and ` +
      "settle, cancel and renew free or keep them",
  );
}

/** @throws TollgateError `ERR_LIMITS`: nothing would free the places that a verb without reservation takes. */
export function refusePlaces(verb: string, limits: readonly Limit[]): never {
  const name = limits.find(countsPlaces)?.name;
  throw new TollgateError(
    "ERR_LIMITS",
    `${verb}: expected limits whose units come back with time, got "${name}", which counts calls in flight: ` +
      "use reserve, whose settle and cancel say when a call is over",
  );
}
