import { checkOptions, type OptionHints } from "../../core/check-options.ts";
import { type Duration, formatMicroseconds, LONGEST_US, toMicroseconds, toMilliseconds } from "../../core/duration.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { TokenBucketLimit } from "../../core/limits/limit.ts";
import { sealLimit } from "../../core/limits/limit-common.ts";
import { greatestCommonDivisor, tickScale } from "../../core/limits/tick-scale.ts";
import { tokenBucketAlgorithm } from "../token-bucket.ts";
import {
  checkCount,
  choose,
  commonParts,
  fingerprintOf,
  LIMIT_OPTION_NAMES,
  type LimitOptions,
  type NamesOf,
} from "./limit-options.ts";

/** The state in which a token bucket starts. */
export interface InitialOptions {
  /** The state of a new key: `"full"` by default. */
  readonly initial?: "full" | "empty";
  /**
   * With `initial: "empty"`: the idle time after which a key is forgotten, and so empty again. Default: ten fill times,
   * at least 1m. Make it longer than the longest wait for any limit outside the list (`combine`, limits chosen per
   * call).
   */
  readonly idleTtl?: Duration;
}

/** The numbers of a token bucket. */
export interface TokenBucketOptions extends LimitOptions, InitialOptions {
  /** The most units in the bucket: a positive integer. */
  readonly capacity: number;
  /**
   * The units that the bucket gains every `per`, continuously: a positive number of at most six decimal places. `0.5`
   * in `"1s"` is `1` in `"2s"`, exactly.
   */
  readonly refill: number;
  readonly per: Duration;
}

/** The options of `perSecond`, `perMinute`, `perHour` and `perDay`. */
export interface RateOptions extends LimitOptions, InitialOptions {
  /** The capacity; by default the count, rounded up. */
  readonly burst?: number;
}

const START_NAMES: NamesOf<LimitOptions & InitialOptions> = { ...LIMIT_OPTION_NAMES, initial: true, idleTtl: true };
const BUCKET_NAMES: NamesOf<TokenBucketOptions> = { ...START_NAMES, capacity: true, refill: true, per: true };
const RATE_NAMES: NamesOf<RateOptions> = { ...START_NAMES, burst: true };

const CALLED_CAPACITY = 'it is called "capacity" here';
const CALLED_PER = 'it is called "per" here';
const CALLED_REFILL = 'it is called "refill" here';

const BUCKET_HINTS: OptionHints = {
  "": 'write { capacity: 10, refill: 10, per: "1m" }',
  burst: CALLED_CAPACITY,
  interval: CALLED_PER,
  limit: CALLED_CAPACITY,
  maxTokens: CALLED_CAPACITY,
  refillRate: CALLED_REFILL,
  tokensPerInterval: CALLED_REFILL,
  window: CALLED_PER,
};

const PER_SECOND_US = 1_000_000;
const PER_MINUTE_US = 60 * PER_SECOND_US;
const PER_HOUR_US = 60 * PER_MINUTE_US;
const PER_DAY_US = 24 * PER_HOUR_US;

const RATE_HINTS: OptionHints = {
  "": "write { burst: 20 }",
  capacity: 'it is called "burst" here',
  limit: "the first argument is the count",
  window: "only windows have one; use slidingWindow or fixedWindow",
};

/**
 * A token bucket: holds at most `capacity` units and gains `refill` units every `per`, continuously. Decided by the
 * generic cell rate algorithm (ITU-T I.371), whose whole state is one number.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_LIMIT`, `ERR_DURATION` or `ERR_NAME`, saying which option was wrong.
 * @example
 * ```ts
 * import { createLimiter, tokenBucket } from "tollgate";
 *
 * const uploads = createLimiter({ limits: [tokenBucket({ capacity: 3, refill: 1, per: "10s" })] });
 * console.log([1, 2, 3, 4].map(() => uploads.allow("ann"))); // [ true, true, true, false ]
 * ```
 */
export function tokenBucket(options: TokenBucketOptions): TokenBucketLimit {
  checkOptions("tokenBucket", options, BUCKET_NAMES, BUCKET_HINTS);
  const capacity = checkCount("capacity", options.capacity);
  return bucketOf(options, capacity, checkRate("refill", options.refill), toMicroseconds("per", options.per));
}

/**
 * `count` units a second, as a token bucket whose capacity is `burst` or else `count`, rounded up.
 *
 * @throws TollgateError as `tokenBucket` does.
 * @example
 * ```ts
 * import { createLimiter, perSecond } from "tollgate";
 *
 * const limiter = createLimiter({ limits: [perSecond(10, { burst: 20 })] });
 * console.log(limiter.consume("ann").remaining); // 19
 * ```
 */
export function perSecond(count: number, options: RateOptions = {}): TokenBucketLimit {
  return perPeriod("perSecond", count, PER_SECOND_US, options);
}

/**
 * `count` units a minute, as a token bucket whose capacity is `burst` or else `count`, rounded up.
 *
 * @throws TollgateError as `tokenBucket` does.
 * @example
 * ```ts
 * import { perMinute } from "tollgate";
 *
 * console.log(perMinute(100).name); // 100-per-1m
 * ```
 */
export function perMinute(count: number, options: RateOptions = {}): TokenBucketLimit {
  return perPeriod("perMinute", count, PER_MINUTE_US, options);
}

/**
 * `count` units an hour, as a token bucket whose capacity is `burst` or else `count`, rounded up.
 *
 * @throws TollgateError as `tokenBucket` does.
 * @example
 * ```ts
 * import { perHour } from "tollgate";
 *
 * console.log(perHour(1_000, { burst: 50 }).capacity); // 50
 * ```
 */
export function perHour(count: number, options: RateOptions = {}): TokenBucketLimit {
  return perPeriod("perHour", count, PER_HOUR_US, options);
}

/**
 * `count` units a day, as a token bucket whose capacity is `burst` or else `count`, rounded up.
 *
 * @throws TollgateError as `tokenBucket` does.
 * @example
 * ```ts
 * import { perDay } from "tollgate";
 *
 * console.log(perDay(1_000_000, { unit: "tokens" }).unit); // tokens
 * ```
 */
export function perDay(count: number, options: RateOptions = {}): TokenBucketLimit {
  return perPeriod("perDay", count, PER_DAY_US, options);
}

function perPeriod(factory: string, count: number, perUs: number, options: RateOptions): TokenBucketLimit {
  checkOptions(factory, options, RATE_NAMES, RATE_HINTS);
  const { burst } = options;
  const rate = checkRate("count", count);
  return bucketOf(options, burst === undefined ? Math.ceil(rate) : checkCount("burst", burst), rate, perUs);
}

const MILLION = 1_000_000;

/** @throws TollgateError `ERR_LIMIT` unless the rate is above 0 and has at most six decimal places. */
function checkRate(option: string, rate: unknown): number {
  const millionths = typeof rate === "number" && !Number.isInteger(rate) ? Math.round(rate * MILLION) : 0;
  if (millionths > 0 && Number.isSafeInteger(millionths) && millionths / MILLION === rate) return rate;
  return checkCount(option, rate, "a positive number of at most six decimal places");
}

function bucketOf(
  options: LimitOptions & InitialOptions,
  capacity: number,
  rate: number,
  ratePerUs: number,
): TokenBucketLimit {
  const initial = choose("initial", options.initial, ["full", "empty"]);
  let refill = rate;
  let perUs = ratePerUs;
  if (!Number.isInteger(rate)) {
    // In whole units, so that all arithmetic below, in JavaScript and Lua, stays exact.
    const millionths = Math.round(rate * MILLION);
    const divisor = greatestCommonDivisor(millionths, MILLION);
    refill = millionths / divisor;
    perUs *= MILLION / divisor;
    if (perUs > LONGEST_US) {
      const given = `${rate} in ${formatMicroseconds(ratePerUs)}`;
      throw new TollgateError(
        "ERR_LIMIT",
        `refill: expected a rate with whole units in 10 years, got ${given}; use fewer decimal places`,
      );
    }
  }
  tickScale(capacity, refill, perUs);
  const ttlUs = idleTtlUs(options, initial, (capacity / refill) * perUs);

  const ttlText = initial === "empty" ? `-empty-${formatMicroseconds(ttlUs)}` : "";
  const burstText = capacity === refill ? "" : `-burst-${capacity}`;
  const parts = commonParts(options, `${refill}-per-${formatMicroseconds(perUs)}${burstText}${ttlText}`);
  return sealLimit(options.name, tokenBucketAlgorithm, {
    algorithm: "token-bucket",
    ...parts,
    capacity,
    refill,
    perMs: toMilliseconds(perUs),
    initial,
    idleTtlMs: toMilliseconds(ttlUs),
    fingerprint: fingerprintOf("token-bucket", [capacity, refill, perUs, initial, ttlUs], parts.unit),
  });
}

const LEAST_IDLE_TTL_US = 60_000_000;

/** Ten fill times, at least a minute, at most the longest duration. A bucket that starts full needs none. */
function idleTtlUs(options: InitialOptions, initial: string, fillUs: number): number {
  if (initial === "full") {
    if (options.idleTtl === undefined) return 0;
    throw new TollgateError("ERR_LIMIT", `idleTtl: expected only with initial: "empty", got ${show(options.idleTtl)}`);
  }
  if (options.idleTtl !== undefined) return toMicroseconds("idleTtl", options.idleTtl);
  return Math.min(Math.max(Math.ceil(10 * fillUs), LEAST_IDLE_TTL_US), LONGEST_US);
}
