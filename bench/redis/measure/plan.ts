/** How each variant is measured in a round. */
export interface Plan {
  /** How many calls are under way at any time: each in a measurement of its own, in this order. */
  readonly inFlight: readonly number[];
  readonly warmUpMs: number;
  readonly ms: number;
}

export const FULL: Plan = { inFlight: [1, 64, 512], warmUpMs: 250, ms: 700 };

export const QUICK: Plan = { inFlight: [1, 64, 512], warmUpMs: 100, ms: 250 };
