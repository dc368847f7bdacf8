import { type Cost, TollgateError } from "tollgate";

/** A request costs one of these, and a place, whether or not a rule counts them. */
const EVERYWHERE = ["requests", "concurrent-requests"];

/**
 * A cost in a unit that its domain does not count is misspelt, and would count nothing.
 *
 * @throws TollgateError `ERR_COST`.
 */
export function checkUnits(cost: Cost | undefined, units: ReadonlySet<string>): void {
  if (typeof cost !== "object") return;
  const unknown = Object.keys(cost).find((unit) => !(units.has(unit) || EVERYWHERE.includes(unit)));
  if (unknown === undefined) return;
  const known = [...new Set([...EVERYWHERE, ...units])].map((unit) => JSON.stringify(unit)).join(", ");
  throw new TollgateError("ERR_COST", `cost: expected units among ${known}, got ${JSON.stringify(unknown)}`);
}
