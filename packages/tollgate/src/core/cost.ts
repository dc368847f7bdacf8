import { show, TollgateError } from "./errors.ts";

/** Units by name, for a call that uses several at once: `{ requests: 1, tokens: 1800 }`. Units left out cost 0. */
export type UnitCosts = { readonly [unit: string]: number };

/** How many units a call uses: a whole number from 0, or one number per unit name. */
export type Cost = number | UnitCosts;

/** The default unit of a limit. A plain number means this unit if a limiter has several. */
export const REQUESTS = "requests";

/** @throws TollgateError `ERR_COST` when the cost is not a whole number from 0 to 2^53 − 1. */
export function checkCost(cost: unknown, unit?: string): asserts cost is number {
  if (typeof cost === "number" && Number.isSafeInteger(cost) && cost >= 0) return;
  const what = unit === undefined ? "cost" : `cost of ${show(unit)}`;
  const hint = unit === undefined || typeof cost === "number" ? "" : "; options follow the cost: wait(key, 1, options)";
  throw new TollgateError("ERR_COST", `${what}: expected a whole number from 0 to 2^53 - 1, got ${show(cost)}${hint}`);
}

/** A checked copy of a cost that is read later: callers may change their object. @throws TollgateError `ERR_COST`. */
export function copyCost(cost: Cost): Cost {
  if (typeof cost === "number") {
    checkCost(cost);
    return cost;
  }
  checkIsObject(cost);
  const copy = { ...cost };
  for (const [unit, count] of Object.entries(copy)) checkCost(count, unit);
  return copy;
}

/** A plain number under limits that count several units, and no requests. */
export function plainCostError(cost: number, units: ReadonlySet<string>): TollgateError {
  const [first = REQUESTS] = units;
  return new TollgateError(
    "ERR_COST",
    `cost: expected one per unit, such as { ${first}: ${cost} }, because this limiter counts ${listUnits(units)} ` +
      `and no requests, got ${show(cost)}`,
  );
}

/**
 * Writes the cost of each limit into `out`, by the limits' units, and reads each number once. Allocates nothing.
 *
 * @param unknown what happens to a cost in another unit: `"refused"` for fixed limits, `"ignored"` for limits that vary
 *   by call.
 * @throws TollgateError `ERR_COST`.
 */
export function readUnitsInto(
  out: number[],
  costs: UnitCosts,
  limits: readonly { readonly unit: string }[],
  units: ReadonlySet<string>,
  unknown: "refused" | "ignored",
): void {
  checkIsObject(costs);
  if (out.length > limits.length) out.length = limits.length;
  for (let i = 0; i < limits.length; i += 1) out[i] = 0;
  for (const unit in costs) {
    // biome-ignore lint/suspicious/noPrototypeBuiltins: in such a loop engines skip the look-up, for `Object.hasOwn` not.
    if (!Object.prototype.hasOwnProperty.call(costs, unit)) continue;
    const cost = costs[unit];
    checkCost(cost, unit);
    let isKnown = false;
    for (let i = 0; i < limits.length; i += 1) {
      if (limits[i]!.unit !== unit) continue;
      out[i] = cost;
      isKnown = true;
    }
    if (!isKnown && unknown === "refused") checkUnit(unit, units);
  }
}

/** @throws TollgateError `ERR_COST` unless the unit is one of these. */
function checkUnit(unit: string, units: ReadonlySet<string>): void {
  if (units.has(unit)) return;
  throw new TollgateError("ERR_COST", `cost: expected units among ${listUnits(units)}, got ${show(unit)}`);
}

/** @throws TollgateError `ERR_COST`. */
function checkIsObject(costs: unknown): asserts costs is object {
  if (isPlainObject(costs)) return;
  throw new TollgateError("ERR_COST", `cost: expected a whole number, or one per unit, got ${show(costs)}`);
}

/** Other objects, such as a Map, are refused, because they would silently cost nothing. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function listUnits(units: ReadonlySet<string>): string {
  return [...units].map((unit) => JSON.stringify(unit)).join(", ");
}
