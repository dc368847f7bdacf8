/**
 * The smallest of these ascending values that a share of them does not exceed.
 *
 * @throws Error when there are no values.
 */
export function percentile(ascending: Float64Array, share: number): number {
  const value = ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)];
  if (value === undefined) throw new Error("values: expected at least one");
  return value;
}
