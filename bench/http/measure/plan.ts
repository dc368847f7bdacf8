/** How each variant is measured in a round. */
export interface Plan {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export const FULL: Plan = { connections: 64, warmUpSeconds: 1, seconds: 2 };

export const QUICK: Plan = { connections: 64, warmUpSeconds: 1, seconds: 1 };
