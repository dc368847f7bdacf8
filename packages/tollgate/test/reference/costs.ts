/** Units of one call: a number, or a number for each unit it uses. */
export type ModelCost = bigint | Readonly<Record<string, bigint>>;

/** How many of `unit` a call of `cost` takes where the limiter counts `units`. */
export function unitsOf(cost: ModelCost, unit: string, units: ReadonlySet<string>): bigint {
  if (typeof cost === "bigint") return units.size === 1 || unit === "requests" ? cost : 0n;
  return cost[unit] ?? 0n;
}
