import { checkOptions, type OptionHints } from "../../core/check-options.ts";
import { type Duration, formatMicroseconds, toMicroseconds, toMilliseconds } from "../../core/duration.ts";
import type { ConcurrencyLimit } from "../../core/limits/limit.ts";
import { sealLimit } from "../../core/limits/limit-common.ts";
import { CONCURRENT_REQUESTS } from "../../core/limits/places.ts";
import { concurrencyAlgorithm } from "../concurrency.ts";
import {
  checkCount,
  commonParts,
  fingerprintOf,
  LIMIT_OPTION_NAMES,
  type LimitOptions,
  type NamesOf,
} from "./limit-options.ts";

/** The numbers of a limit on concurrency. */
export interface ConcurrencyOptions extends Omit<LimitOptions, "unit"> {
  /** The most places in use at a time: a positive integer. */
  readonly max: number;
  /** A place that is neither freed nor renewed frees itself after this time: its holder may have crashed. */
  readonly ttl: Duration;
}

const { unit: _, ...COMMON_NAMES } = LIMIT_OPTION_NAMES;
const NAMES: NamesOf<ConcurrencyOptions> = { ...COMMON_NAMES, max: true, ttl: true };

const CALLED_MAX = 'it is called "max" here';

const HINTS: OptionHints = {
  "": 'write { max: 5, ttl: "30s" }',
  capacity: CALLED_MAX,
  concurrency: CALLED_MAX,
  limit: CALLED_MAX,
  maxConcurrent: CALLED_MAX,
  timeout: 'it is called "ttl" here',
  unit: `it is always "${CONCURRENT_REQUESTS}"`,
};

/**
 * At most `max` of a key's calls in flight at a time: a counting semaphore whose permits expire. `reserve` takes a
 * place, and settling or cancelling the reservation frees it; `renew` keeps it beyond `ttl`. `acquire` and `wrap` wait
 * for a place. `allow`, `consume` and `wait` are refused, because nothing would free their places. A denial's wait is
 * the time after which a place frees itself at the latest.
 *
 * Each place takes 16 bytes of its key's cells, up to 64 places. A larger `max` takes no more: places that were taken
 * within a sixtieth of `ttl` expire together then, with the last of them.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_LIMIT`, `ERR_DURATION` or `ERR_NAME`, saying which option was wrong.
 * @example
 * ```ts
 * import { concurrency, createLimiter } from "tollgate";
 *
 * const streams = createLimiter({ limits: [concurrency({ max: 1, ttl: "1m" })] });
 * const first = streams.reserve("ann");
 * console.log(first.decision.allowed, streams.reserve("ann").decision.allowed); // true false
 * first.settle();
 * console.log(streams.reserve("ann").decision.allowed); // true
 * ```
 */
export function concurrency(options: ConcurrencyOptions): ConcurrencyLimit {
  checkOptions("concurrency", options, NAMES, HINTS);
  const max = checkCount("max", options.max);
  const ttlUs = toMicroseconds("ttl", options.ttl);
  const { unit: __, ...parts } = commonParts(
    { ...options, unit: CONCURRENT_REQUESTS },
    `${max}-for-${formatMicroseconds(ttlUs)}`,
  );
  return sealLimit(options.name, concurrencyAlgorithm, {
    algorithm: "concurrency",
    ...parts,
    unit: CONCURRENT_REQUESTS,
    capacity: max,
    ttlMs: toMilliseconds(ttlUs),
    fingerprint: fingerprintOf("concurrency", [max, ttlUs], CONCURRENT_REQUESTS),
  });
}
