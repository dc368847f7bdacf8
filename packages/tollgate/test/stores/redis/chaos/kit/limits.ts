import { fixedWindow, type Limit, perSecond, slidingWindow } from "tollgate";

/** Windows from the first use on: nothing comes back while a test runs. */
function aDay(limit: number): Limit {
  return fixedWindow({ limit, window: "1d", anchor: "first-use" });
}

const PLENTY = 1_000_000;
export const TIGHT = 600;
export const PER_SECOND = 25;

/** What the traffic is limited by. Of each, the first limit counts all that is taken. */
export const LIMITS = {
  /** Never reached, on a few keys. */
  wide: [aDay(PLENTY), slidingWindow({ limit: PLENTY, window: "5h" })],
  /** Each call has a key of its own. */
  single: [aDay(5)],
  /** Reached in the end, and for good. */
  tight: [aDay(TIGHT)],
  /** Three algorithms; reached again and again. */
  rapid: [aDay(PLENTY), perSecond(PER_SECOND), slidingWindow({ limit: PLENTY, window: "1h" })],
  /** Asked by the shortest way, several at once. */
  bulk: [aDay(PLENTY)],
} as const satisfies Readonly<Record<string, readonly Limit[]>>;

export type LimiterName = keyof typeof LIMITS;
