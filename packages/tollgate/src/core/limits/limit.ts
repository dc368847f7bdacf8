import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { FixedWindowLimit } from "./fixed-window-limit.ts";
import type { SlidingWindowLimit } from "./sliding-window-limit.ts";
import type { TokenBucketLimit } from "./token-bucket-limit.ts";

// All that users get of limits, one algorithm a block. The main entry exports this file.

export type { BlockFor, BlockForOption } from "./block-for.ts";
export { type ConcurrencyLimit, type ConcurrencyOptions, concurrency } from "./concurrency-limit.ts";
export { type FixedWindowLimit, type FixedWindowOptions, fixedWindow } from "./fixed-window-limit.ts";
export type { LimitMode } from "./limit-common.ts";
export type { LimitOptions } from "./limit-options.ts";
export { type SlidingWindowLimit, type SlidingWindowOptions, slidingWindow } from "./sliding-window-limit.ts";
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
} from "./token-bucket-limit.ts";

/**
 * One quota policy: an immutable value, made by `tokenBucket`, `perSecond` …, `slidingWindow`, `fixedWindow` or
 * `concurrency`.
 */
export type Limit = TokenBucketLimit | SlidingWindowLimit | FixedWindowLimit | ConcurrencyLimit;
