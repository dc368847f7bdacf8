import type { LimitOf } from "./library.ts";

/** A plan of one cell a key. */
export const bucket = (capacity: number): readonly LimitOf[] => [
  ["tokenBucket", { name: "bucket", capacity, refill: 1, per: "1h" }],
];

/** A plan of several cells a key. Both limits count the same units while the clock stands still. */
export const bucketAndWindow = (capacity: number, spare = 0): readonly LimitOf[] => [
  ["tokenBucket", { name: "bucket", capacity: capacity + spare, refill: 1, per: "1h" }],
  ["slidingWindow", { name: "window", limit: capacity, window: "1h", resolution: "10m" }],
];

/** A plan with so many cells that a call spends most of its time copying them. */
export const wide = (capacity: number): readonly LimitOf[] => [
  ["tokenBucket", { name: "bucket", capacity, refill: 1, per: "1h" }],
  ["slidingWindow", { name: "window", limit: capacity, window: "200m", resolution: "1m" }],
];

export const PLANS: readonly { readonly name: string; readonly limits: typeof bucket }[] = [
  { name: "a token bucket", limits: bucket },
  { name: "a token bucket and a sliding window", limits: bucketAndWindow },
];
