import type { LimitCommon } from "./limit-common.ts";

/** Holds up to `capacity` units and gains `refill` every `perMs`, continuously. */
export interface TokenBucketLimit extends LimitCommon {
  readonly algorithm: "token-bucket";
  readonly refill: number;
  readonly perMs: number;
  readonly initial: "full" | "empty";
  /** The idle time after which an `initial: "empty"` bucket is empty again; otherwise 0. */
  readonly idleTtlMs: number;
}

/** At most `capacity` units in any window of `windowMs`; units within `resolutionMs` leave together. */
export interface SlidingWindowLimit extends LimitCommon {
  readonly algorithm: "sliding-window";
  readonly windowMs: number;
  /** 0: every unit leaves at its own time. */
  readonly resolutionMs: number;
}

/** At most `capacity` units in each window of `windowMs`, counted from the epoch or from the key's first use. */
export interface FixedWindowLimit extends LimitCommon {
  readonly algorithm: "fixed-window";
  readonly windowMs: number;
  readonly anchor: "clock" | "first-use";
}

/** What a window by the calendar is: it begins at midnight, weeks on Monday. */
export type CalendarUnit = "day" | "week" | "month" | "year";

/** At most `capacity` units in each day, week, month or year of a time zone. */
export interface CalendarWindowLimit extends LimitCommon {
  readonly algorithm: "calendar-window";
  readonly window: CalendarUnit;
  readonly timeZone: string;
}

/** At most `capacity` places in use at a time. A place that is not freed frees itself `ttlMs` after it was taken. */
export interface ConcurrencyLimit extends LimitCommon {
  readonly algorithm: "concurrency";
  readonly unit: "concurrent-requests";
  readonly ttlMs: number;
}

/**
 * One quota policy: an immutable value, made by `tokenBucket`, `perSecond` …, `slidingWindow`, `fixedWindow` or
 * `concurrency`.
 */
export type Limit = TokenBucketLimit | SlidingWindowLimit | FixedWindowLimit | CalendarWindowLimit | ConcurrencyLimit;
