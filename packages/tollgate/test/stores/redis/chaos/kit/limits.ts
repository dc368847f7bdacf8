import { fixedWindow, type Limit, perSecond, slidingWindow } from "tollgate";

/** A window from the first use on, from which no unit returns while a test runs. */
function aDay(limit: number): Limit {
  return fixedWindow({ limit, window: "1d", anchor: "first-use" });
}

const PLENTY = 1_000_000;
export const TIGHT = 600;
export const PER_SECOND = 25;

/** The limits of the traffic. The first limit of each list counts all units taken. */
export const LIMITS = {
  /** Never reached, on a few keys. */
  wide: [aDay(PLENTY), slidingWindow({ limit: PLENTY, window: "5h" })],
  /** Each call has a key of its own. */
  single: [aDay(5)],
  /** Reached at the end, until the test is over. */
  tight: [aDay(TIGHT)],
  /** Three algorithms; reached repeatedly. */
  rapid: [aDay(PLENTY), perSecond(PER_SECOND), slidingWindow({ limit: PLENTY, window: "1h" })],
  /** For concurrent calls of `allow` without an observer. */
  bulk: [aDay(PLENTY)],
} as const satisfies Readonly<Record<string, readonly Limit[]>>;

export type LimiterName = keyof typeof LIMITS;
