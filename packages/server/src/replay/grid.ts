import type { Needs } from "./needs.ts";
import { RATES } from "./rates.ts";

/** What every bucket of a grid would have denied. */
export interface Grid {
  readonly capacities: readonly number[];
  /** The share of clients that are denied something, by rate, then by capacity. */
  readonly shares: readonly (readonly number[])[];
  /** The least capacities, by rate, that deny something to a share of clients at most. */
  readonly frontiers: readonly { readonly name: string; readonly capacities: readonly number[] }[];
}

const CAPACITIES = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1_000, 2_000, 5_000, 10_000];
const FRONTIERS = [
  ["no client", 0],
  ["0.1 %", 0.001],
  ["1 %", 0.01],
] as const;

export function gridOf(needs: Needs, clients: number): Grid {
  return {
    capacities: CAPACITIES,
    shares: RATES.map((_, rate) => CAPACITIES.map((capacity) => needs.denied(rate, capacity) / Math.max(1, clients))),
    frontiers: FRONTIERS.map(([name, share]) => ({
      name,
      capacities: RATES.map((_, rate) => needs.leastCapacity(rate, Math.floor(clients * share))),
    })),
  };
}
