/** Whether a limit decides (`"enforce"`) or only watches what it would have decided (`"shadow"`). */
export type LimitMode = "enforce" | "shadow";

interface LimitCommon {
  /** The limit's name among those of its limiter, in decisions, headers and metrics. */
  readonly name: string;
  /** What the limit counts; `"requests"` by default. */
  readonly unit: string;
  readonly mode: LimitMode;
  /** The most units that the limit ever admits at once. */
  readonly capacity: number;
  /** The algorithm, its numbers and its unit as text. Limits with equal fingerprints decide alike. */
  readonly fingerprint: string;
}

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

/** One quota policy: an immutable value, made by `tokenBucket`, `perSecond` …, `slidingWindow` or `fixedWindow`. */
export type Limit = TokenBucketLimit | SlidingWindowLimit | FixedWindowLimit;

const MADE_HERE = Symbol.for("tollgate.limit");

/**
 * Freezes a checked limit and marks it as one. The mark is not enumerable, so a spread copy with other numbers has no mark
 * and is refused: its fingerprint would not fit its numbers.
 */
export function sealLimit<L extends Limit>(limit: L): L {
  return Object.freeze(Object.defineProperty(limit, MADE_HERE, { value: true }));
}

/** Whether a value was made by one of the limit factories. */
export function isLimit(value: unknown): value is Limit {
  return typeof value === "object" && value !== null && Object.hasOwn(value, MADE_HERE);
}
