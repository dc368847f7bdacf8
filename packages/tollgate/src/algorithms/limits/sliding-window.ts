import { checkOptions } from "../../core/check-options.ts";
import { type Duration, formatMicroseconds, isZero, toMicroseconds, toMilliseconds } from "../../core/duration.ts";
import { show, TollgateError } from "../../core/errors.ts";
import type { SlidingWindowLimit } from "../../core/limits/limit.ts";
import { sealLimit } from "../../core/limits/limit-common.ts";
import { slidingWindowAlgorithm } from "../sliding-window.ts";
import {
  checkCount,
  commonParts,
  fingerprintOf,
  LIMIT_OPTION_NAMES,
  type LimitOptions,
  type NamesOf,
  WINDOW_HINTS,
} from "./limit-options.ts";

/** The numbers of a sliding window. */
export interface SlidingWindowOptions extends LimitOptions {
  /** The most units in any window: a positive integer. */
  readonly limit: number;
  readonly window: Duration;
  /**
   * Units this close together form a group and leave together. Default: 0 (exact) up to limit 64, else window / 64. A
   * key keeps at most 4,096 groups, so for a larger limit this is at least window / 4,096.
   */
  readonly resolution?: Duration;
}

const NAMES: NamesOf<SlidingWindowOptions> = { ...LIMIT_OPTION_NAMES, limit: true, window: true, resolution: true };

/**
 * At most `limit` units in any `window`, wherever it starts: a sliding log whose entries are groups of units at most
 * `resolution` apart. A group leaves with its last unit, so coarser groups never admit more, only later.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_LIMIT`, `ERR_DURATION` or `ERR_NAME`, saying which option was wrong.
 * @example
 * ```ts
 * import { createLimiter, slidingWindow } from "tollgate";
 *
 * const logins = createLimiter({ limits: [slidingWindow({ limit: 5, window: "15m" })] });
 * console.log(logins.consume("ann", 5).allowed, logins.consume("ann").allowed); // true false
 * ```
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindowLimit {
  checkOptions("slidingWindow", options, NAMES, WINDOW_HINTS);
  const limit = checkCount("limit", options.limit);
  const windowUs = toMicroseconds("window", options.window);
  const ownUs = limit <= LARGEST_EXACT_LIMIT ? 0 : Math.ceil(windowUs / GROUPS_PER_WINDOW);
  const resolutionUs = resolutionOf(options, ownUs, windowUs);

  const resolutionText = resolutionUs === ownUs ? "" : `-by-${formatMicroseconds(resolutionUs) || "0"}`;
  const parts = commonParts(options, `${limit}-in-${formatMicroseconds(windowUs)}${resolutionText}`);
  return sealLimit(options.name, slidingWindowAlgorithm, {
    algorithm: "sliding-window",
    ...parts,
    capacity: limit,
    windowMs: toMilliseconds(windowUs),
    resolutionMs: toMilliseconds(resolutionUs),
    fingerprint: fingerprintOf("sliding-window", [limit, windowUs, resolutionUs], parts.unit),
  });
}

/** Up to this limit every unit has an entry by default: the log is short. */
const LARGEST_EXACT_LIMIT = 64;
const GROUPS_PER_WINDOW = 64;
/** Each group takes 16 bytes, so a key takes at most 64 KiB. */
const MOST_GROUPS = 4_096;

function resolutionOf({ resolution, limit }: SlidingWindowOptions, ownUs: number, windowUs: number): number {
  if (resolution === undefined) return ownUs;
  const resolutionUs = isZero(resolution) ? 0 : toMicroseconds("resolution", resolution);
  if (resolutionUs > windowUs) {
    throw new TollgateError("ERR_LIMIT", `resolution: expected at most the window, got ${show(resolution)}`);
  }
  // Every group has a unit, so a small limit bounds the number of groups as well.
  const finestUs = limit <= MOST_GROUPS ? 0 : Math.ceil(windowUs / MOST_GROUPS);
  // Time comes in whole microseconds, so 0 means one.
  if (Math.max(resolutionUs, 1) >= finestUs) return resolutionUs;
  throw new TollgateError(
    "ERR_LIMIT",
    `resolution: expected at least "${formatMicroseconds(finestUs)}" for a limit of ${limit} ` +
      `in "${formatMicroseconds(windowUs)}" (a key keeps at most 4,096 groups), got ${show(resolution)}`,
  );
}
