/** How long each row is measured, with each number of threads. */
export interface Plan {
  readonly warmUpMs: number;
  readonly windowMs: number;
}

export const FULL: Plan = { warmUpMs: 200, windowMs: 300 };
export const QUICK: Plan = { warmUpMs: 100, windowMs: 100 };
