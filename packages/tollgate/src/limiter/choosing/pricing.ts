import { type Cost, copyCost, REQUESTS, type UnitCosts } from "../../core/cost.ts";

/** What calls of a domain cost. */
export interface Pricing<Found> {
  /** The cost of a call, in part given by its caller. @throws TollgateError `ERR_COST`. */
  of(input: Found, given: Cost | undefined): Cost;
  /** The cost of a correction: only what the caller gives. @throws TollgateError `ERR_COST`. */
  given(cost: Cost): Cost;
  /** What callers call a unit that is counted. */
  unitOf(counted: string): string;
}

/** The pricing of some keys of a call, and the input that it reads. */
export interface Price {
  readonly pricing: Pricing<unknown>;
  readonly input: unknown;
  /** How many keys it prices. */
  readonly keys: number;
}

/** What a call costs. All limiters count the same: in each unit the most that one of them states. */
export function pricedCost(prices: readonly Price[], keys: number, given: Cost | undefined): Cost {
  const costs = prices.map(({ pricing, input }) => pricing.of(input, given));
  return joined(prices, keys, given ?? 1, costs);
}

/** What a correction costs in the units that are counted. */
export function pricedCorrection(prices: readonly Price[], keys: number, given: Cost): Cost {
  const costs = prices.map(({ pricing }) => pricing.given(given));
  return joined(prices, keys, given, costs);
}

/** Units that no limits file states are those of the other limiters of a combination. */
function joined(prices: readonly Price[], keys: number, given: Cost, costs: readonly Cost[]): Cost {
  const isPricedAlone = prices.length === 1 && prices[0]!.keys === keys;
  if (isPricedAlone) return costs[0]!;
  if (costs.every((cost) => cost === given)) return given;
  const stated = new Map<string, number>();
  for (const cost of costs) {
    for (const [unit, units] of Object.entries(byUnit(cost))) stated.set(unit, Math.max(units, stated.get(unit) ?? 0));
  }
  const others = prices.reduce((sum, price) => sum + price.keys, 0) < keys ? byUnit(given) : {};
  return { ...others, ...Object.fromEntries(stated) };
}

function byUnit(cost: Cost): UnitCosts {
  return typeof cost === "number" ? { [REQUESTS]: cost } : (copyCost(cost) as UnitCosts);
}
