import { LONG_LIVES, ONE_LIMITER, SEVERAL_LIMITERS } from "./agreement.ts";
import { EXACT_BUCKETS } from "./exact-buckets.ts";
import { FULL_RING } from "./full-ring.ts";
import type { NamedProperty } from "./named-property.ts";
import { RETRY_AFTER } from "./retry-after.ts";
import { SCALED_BUCKETS } from "./scaled-buckets.ts";
import { WINDOW_BOUND } from "./window-bound.ts";
import { WINDOW_PROMISE } from "./window-promise.ts";

/** Decisions keep the promises of the documentation, which are checked without the model or beside it. */
export const PROMISES: readonly NamedProperty[] = [
  ...EXACT_BUCKETS,
  ...SCALED_BUCKETS,
  ...RETRY_AFTER,
  ...WINDOW_BOUND,
  ...WINDOW_PROMISE,
];

/** Decisions and counts are those of the reference model, and what is promised holds. */
export const ALL_PROPERTIES: readonly NamedProperty[] = [
  ...ONE_LIMITER,
  ...SEVERAL_LIMITERS,
  ...LONG_LIVES,
  ...FULL_RING,
  ...PROMISES,
];
