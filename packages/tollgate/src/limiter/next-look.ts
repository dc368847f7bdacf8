const FIRST_LOOK_US = 10_000;
const LAST_LOOK_US = 1_000_000;

/** When to ask again for a place that another limiter may have freed: this one's own are served at once. */
export function nextLookUs(denials: number): number {
  return Math.min(FIRST_LOOK_US * 2 ** Math.min(denials, 10), LAST_LOOK_US);
}
