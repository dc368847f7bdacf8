// All that users get of limits: the main entry exports this file. Its default export is not among that.

import type { Limit } from "../../core/limits/limit.ts";
import { calendarWindowAlgorithm } from "../calendar-window.ts";
import { concurrencyAlgorithm } from "../concurrency.ts";
import { fixedWindowAlgorithm } from "../fixed-window.ts";
import { slidingWindowAlgorithm } from "../sliding-window.ts";
import { tokenBucketAlgorithm } from "../token-bucket.ts";

export type { BlockFor, BlockPolicy } from "../../core/limits/block-for.ts";
export type {
  CalendarUnit,
  CalendarWindowLimit,
  ConcurrencyLimit,
  FixedWindowLimit,
  Limit,
  SlidingWindowLimit,
  TokenBucketLimit,
} from "../../core/limits/limit.ts";
export type { LimitMode } from "../../core/limits/limit-common.ts";
export { type ConcurrencyOptions, concurrency } from "./concurrency.ts";
export { type CalendarWindowOptions, fixedWindow } from "./fixed-window.ts";
export type { FixedWindowOptions } from "./plain-window.ts";
export { type SlidingWindowOptions, slidingWindow } from "./sliding-window.ts";
export {
  perDay,
  perHour,
  perMinute,
  perSecond,
  type RateOptions,
  type TokenBucketOptions,
  tokenBucket,
} from "./token-bucket.ts";

/** Every algorithm by its name, for limits that come as text and so bring none. */
const ALGORITHMS: Readonly<Record<Limit["algorithm"], object>> = {
  "token-bucket": tokenBucketAlgorithm,
  "sliding-window": slidingWindowAlgorithm,
  "fixed-window": fixedWindowAlgorithm,
  "calendar-window": calendarWindowAlgorithm,
  concurrency: concurrencyAlgorithm,
};

// biome-ignore lint/style/noDefaultExport: the main entry's `export *` leaves it out, so that users do not get it.
export default ALGORITHMS;
