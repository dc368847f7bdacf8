import { type Duration, formatMicroseconds, toMicroseconds, toMilliseconds } from "../duration.ts";
import { show, TollgateError } from "../errors.ts";
import { type SlidingWindowLimit, sealLimit } from "./limit.ts";
import { checkCount, checkFactoryOptions, commonParts, fingerprintOf, type LimitOptions } from "./options.ts";

/** The numbers of a sliding window. */
export interface SlidingWindowOptions extends LimitOptions {
  /** The most units in any window: a positive integer. */
  readonly limit: number;
  readonly window: Duration;
  /** Units this close together form a group and leave together. Default: 0 (exact) up to limit 64, else window / 64. */
  readonly resolution?: Duration;
}

/**
 * At most `limit` units in any `window`, wherever it starts: a sliding log whose entries are groups of units at most
 * `resolution` apart. A group leaves with its last unit, so coarser groups never admit more, only later.
 *
 * @throws TollgateError `ERR_LIMIT`, `ERR_DURATION` or `ERR_NAME`, saying which option was wrong.
 * @example
 * ```ts
 * import { createLimiter, slidingWindow } from "tollgate";
 *
 * const logins = createLimiter({ limits: [slidingWindow({ limit: 5, window: "15m" })] });
 * console.log(logins.consume("ann", 5).allowed, logins.consume("ann").allowed); // true false
 * ```
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindowLimit {
  checkFactoryOptions("slidingWindow", options);
  const limit = checkCount("limit", options.limit);
  const windowUs = toMicroseconds("window", options.window);
  const ownUs = limit <= LARGEST_EXACT_LIMIT ? 0 : Math.ceil(windowUs / GROUPS_PER_WINDOW);
  const resolutionUs = resolutionOf(options, ownUs, windowUs);

  const resolutionText = resolutionUs === ownUs ? "" : `-by-${formatMicroseconds(resolutionUs) || "0"}`;
  const parts = commonParts(options, `${limit}-in-${formatMicroseconds(windowUs)}${resolutionText}`);
  return sealLimit({
    algorithm: "sliding-window",
    ...parts,
    capacity: limit,
    windowMs: toMilliseconds(windowUs),
    resolutionMs: toMilliseconds(resolutionUs),
    fingerprint: fingerprintOf("sliding-window", [limit, windowUs, resolutionUs], parts.unit),
  });
}

/** Up to this limit every unit is kept on its own by default: the log is short enough. */
const LARGEST_EXACT_LIMIT = 64;
const GROUPS_PER_WINDOW = 64;

function resolutionOf(options: SlidingWindowOptions, ownUs: number, windowUs: number): number {
  if (options.resolution === undefined) return ownUs;
  if (isZero(options.resolution)) return 0;
  const resolutionUs = toMicroseconds("resolution", options.resolution);
  if (resolutionUs <= windowUs) return resolutionUs;
  throw new TollgateError("ERR_LIMIT", `resolution: expected at most the window, got ${show(options.resolution)}`);
}

function isZero(duration: Duration): boolean {
  return duration === 0 || /^0(?:d|h|m|s|ms)$/.test(String(duration));
}
