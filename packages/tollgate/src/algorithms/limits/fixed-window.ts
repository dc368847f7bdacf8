import { checkOptions } from "../../core/check-options.ts";
import { type Duration, formatMicroseconds, toMicroseconds, toMilliseconds } from "../../core/duration.ts";
import type { FixedWindowLimit } from "../../core/limits/limit.ts";
import { sealLimit } from "../../core/limits/limit-common.ts";
import { fixedWindowAlgorithm } from "../fixed-window.ts";
import {
  checkCount,
  choose,
  commonParts,
  fingerprintOf,
  LIMIT_OPTION_NAMES,
  type LimitOptions,
  type NamesOf,
  WINDOW_HINTS,
} from "./limit-options.ts";

/** The numbers of a fixed window. */
export interface FixedWindowOptions extends LimitOptions {
  /** The most units in each window: a positive integer. */
  readonly limit: number;
  readonly window: Duration;
  /** Windows start at multiples of `window` since the epoch (`"clock"`, the default), or at a key's first unit. */
  readonly anchor?: "clock" | "first-use";
}

const NAMES: NamesOf<FixedWindowOptions> = { ...LIMIT_OPTION_NAMES, limit: true, window: true, anchor: true };

/**
 * At most `limit` units in each `window`. It admits up to twice the limit around the border of two windows: prefer a
 * token bucket, unless a quota has to renew at a known moment.
 *
 * @throws TollgateError `ERR_OPTION`, `ERR_LIMIT`, `ERR_DURATION` or `ERR_NAME`, saying which option was wrong.
 * @example
 * ```ts
 * import { createLimiter, fixedWindow } from "tollgate";
 *
 * const daily = createLimiter({ limits: [fixedWindow({ limit: 2, window: "1d", anchor: "first-use" })] });
 * console.log([1, 2, 3].map(() => daily.allow("ann"))); // [ true, true, false ]
 * ```
 */
export function fixedWindow(options: FixedWindowOptions): FixedWindowLimit {
  checkOptions("fixedWindow", options, NAMES, WINDOW_HINTS);
  const limit = checkCount("limit", options.limit);
  const windowUs = toMicroseconds("window", options.window);
  const anchor = choose("anchor", options.anchor, ["clock", "first-use"]);

  const anchorText = anchor === "clock" ? "" : "-from-first-use";
  const parts = commonParts(options, `${limit}-each-${formatMicroseconds(windowUs)}${anchorText}`);
  return sealLimit(options.name, fixedWindowAlgorithm, {
    algorithm: "fixed-window",
    ...parts,
    capacity: limit,
    windowMs: toMilliseconds(windowUs),
    anchor,
    fingerprint: fingerprintOf("fixed-window", [limit, windowUs, anchor], parts.unit),
  });
}
