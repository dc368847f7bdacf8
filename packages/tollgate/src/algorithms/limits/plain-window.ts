import { type Duration, formatMicroseconds, toMicroseconds, toMilliseconds } from "../../core/duration.ts";
import type { FixedWindowLimit } from "../../core/limits/limit.ts";
import { sealLimit } from "../../core/limits/limit-common.ts";
import { fixedWindowAlgorithm } from "../fixed-window.ts";
import { checkCount, choose, commonParts, fingerprintOf, type LimitOptions } from "./limit-options.ts";

/** The numbers of a fixed window. */
export interface FixedWindowOptions extends LimitOptions {
  /** The most units in each window: a positive integer. */
  readonly limit: number;
  readonly window: Duration;
  /** Windows start at multiples of `window` since the epoch (`"clock"`, the default), or at a key's first unit. */
  readonly anchor?: "clock" | "first-use";
}

/**
 * A fixed window that no calendar begins, apart from `fixedWindow`, so that a program without calendars loads none.
 *
 * @throws TollgateError as `fixedWindow`, except for unknown options.
 */
export function plainWindow(options: FixedWindowOptions): FixedWindowLimit {
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
