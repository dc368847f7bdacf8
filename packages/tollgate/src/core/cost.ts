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
  throw new TollgateError("ERR_COST", `${what}: expected a whole number from 0 to 2^53 - 1, got ${show(cost)}`);
}

/** A checked cost as units by name. */
export type CheckedCosts = ReadonlyMap<string, number>;

/**
 * Reads a cost, each number once, and checks it.
 *
 * @param units the units of all limits of the call. A plain number counts in the only unit; with several units it means
 *   requests.
 * @param unknown what happens to a cost in another unit: `"refused"` for fixed limits, `"ignored"` for limits that vary
 *   by call.
 * @throws TollgateError `ERR_COST`.
 */
export function readCosts(cost: Cost, units: ReadonlySet<string>, unknown: "refused" | "ignored"): CheckedCosts {
  return typeof cost === "number" ? readNumber(cost, units, unknown) : readUnits(cost, units, unknown);
}

const NO_UNITS: ReadonlySet<string> = new Set();

/** A checked copy of a cost that is read later: callers may change their object meanwhile. Throws as `readCosts`. */
export function copyCost(cost: Cost): Cost {
  if (typeof cost !== "number") return Object.fromEntries(readCosts(cost, NO_UNITS, "ignored"));
  checkCost(cost);
  return cost;
}

function readNumber(cost: number, units: ReadonlySet<string>, unknown: "refused" | "ignored"): CheckedCosts {
  checkCost(cost);
  const [first = REQUESTS] = units;
  if (units.size > 1 && !units.has(REQUESTS) && unknown === "refused") {
    throw new TollgateError(
      "ERR_COST",
      `cost: expected one per unit, such as { ${first}: ${cost} }, because this limiter counts ${listUnits(units)} ` +
        `and no requests, got ${show(cost)}`,
    );
  }
  return new Map([[units.size === 1 ? first : REQUESTS, cost]]);
}

/**
 * Writes the cost of each limit into `out`, by the limits' units. Works like `readCosts`, and allocates nothing.
 *
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

function readUnits(costs: unknown, units: ReadonlySet<string>, unknown: "refused" | "ignored"): CheckedCosts {
  checkIsObject(costs);
  const read = new Map<string, number>();
  for (const [unit, cost] of Object.entries(costs)) {
    checkCost(cost, unit);
    if (unknown === "refused") checkUnit(unit, units);
    read.set(unit, cost);
  }
  return read;
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
