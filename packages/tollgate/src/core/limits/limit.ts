import type { FixedWindowLimit } from "./fixed-window.ts";
import type { SlidingWindowLimit } from "./sliding-window.ts";
import type { TokenBucketLimit } from "./token-bucket.ts";

// All that users get of limits, one algorithm a block. The main entry exports this file.

export { type FixedWindowLimit, type FixedWindowOptions, fixedWindow } from "./fixed-window.ts";
export type { LimitMode } from "./limit-common.ts";
export type { LimitOptions } from "./options.ts";
export { type SlidingWindowLimit, type SlidingWindowOptions, slidingWindow } from "./sliding-window.ts";
export {
  type InitialOptions,
  perDay,
  perHour,
  perMinute,
  perSecond,
  type RateOptions,
  type TokenBucketLimit,
  type TokenBucketOptions,
  tokenBucket,
} from "./token-bucket.ts";

/** One quota policy: an immutable value, made by `tokenBucket`, `perSecond` …, `slidingWindow` or `fixedWindow`. */
export type Limit = TokenBucketLimit | SlidingWindowLimit | FixedWindowLimit;
