/** What the rounds gave for one number. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @throws Error when there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error("values: expected at least one");
  const sorted = [...values].sort((a, b) => a - b);
  return { median: medianOf(sorted), min: sorted[0]!, max: sorted[sorted.length - 1]! };
}

/** The middle one of ascending numbers, or the mean of the middle two. */
function medianOf(ascending: readonly number[]): number {
  const half = Math.floor(ascending.length / 2);
  return ascending.length % 2 === 1 ? ascending[half]! : (ascending[half - 1]! + ascending[half]!) / 2;
}
