import { show, TollgateError } from "./errors.ts";

/** Units by name, for a call that uses several at once: `{ requests: 1, tokens: 1800 }`. Units left out cost 0. */
export type UnitCosts = { readonly [unit: string]: number };

/** How many units a call uses: a whole number from 0, or one per unit. */
export type Cost = number | UnitCosts;

/** The unit of a limit that names none, and the one a plain number means where a limiter has several. */
export const REQUESTS = "requests";

/** @throws TollgateError `ERR_COST` when the cost is not a whole number from 0 to 2^53 − 1. */
export function checkCost(cost: number, unit?: string): void {
  if (Number.isSafeInteger(cost) && cost >= 0) return;
  const what = unit === undefined ? "cost" : `cost of ${show(unit)}`;
  throw new TollgateError("ERR_COST", `${what}: expected a whole number from 0 to 2^53 - 1, got ${show(cost)}`);
}

/**
 * Checks a cost against the units that can be charged.
 *
 * @param strict whether a unit that no limit counts is an error (fixed limits) or is ignored (limits that vary by call).
 * @throws TollgateError `ERR_COST`.
 */
export function checkCosts(cost: Cost, units: ReadonlySet<string>, strict: boolean): void {
  if (typeof cost === "number") {
    checkCost(cost);
    if (strict && units.size > 1 && !units.has(REQUESTS)) {
      const example = `{ ${[...units][0]}: ${cost} }`;
      throw new TollgateError(
        "ERR_COST",
        `cost: expected one per unit, such as ${example}, because this limiter counts ${listUnits(units)} ` +
          `and no requests, got ${show(cost)}`,
      );
    }
    return;
  }
  if (typeof cost !== "object" || cost === null || Array.isArray(cost)) {
    throw new TollgateError("ERR_COST", `cost: expected a whole number, or one per unit, got ${show(cost)}`);
  }
  for (const unit of Object.keys(cost)) {
    checkCost(cost[unit] as number, unit);
    if (strict && !units.has(unit)) {
      throw new TollgateError("ERR_COST", `cost: expected units among ${listUnits(units)}, got ${show(unit)}`);
    }
  }
}

/** What a checked cost comes to in one unit, given all the units that the call could charge. */
export function costIn(unit: string, cost: Cost, units: ReadonlySet<string>): number {
  if (typeof cost !== "number") return Object.hasOwn(cost, unit) ? (cost[unit] as number) : 0;
  return units.size === 1 || unit === REQUESTS ? cost : 0;
}

function listUnits(units: ReadonlySet<string>): string {
  return [...units].map((unit) => JSON.stringify(unit)).join(", ");
}
