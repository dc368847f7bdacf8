import type * as tollgate from "tollgate";
import type * as shared from "tollgate/shared";
import type { SharedStore } from "tollgate/shared";

/** The built library: not every Node can load TypeScript in workers. TOLLGATE_DIST names another copy of it. */
export const DIST: string = process.env["TOLLGATE_DIST"] ?? new URL("../../../../dist", import.meta.url).href;

const { createLimiter, ...limitsByName } = (await import(`${DIST}/index.js`)) as typeof tollgate;
export const { sharedStore } = (await import(`${DIST}/stores/shared/index.js`)) as typeof shared;

/** A limit in the form that goes to workers: the name of its function, and its options. */
export type LimitOf =
  | readonly ["tokenBucket", tollgate.TokenBucketOptions]
  | readonly ["slidingWindow", tollgate.SlidingWindowOptions];

/** A moment in 2026. */
export const STOPPED_MS = 1_790_000_000_123.457;
const STOPPED_CLOCK: tollgate.Clock = { now: () => STOPPED_MS };

/** The limiter's name in all threads. */
export const NAME = "shared";

/** The same limiter as in jobs/worker.mjs, with the clock that stands still. */
export function limiterOver(store: SharedStore, limits: readonly LimitOf[]): tollgate.Limiter {
  return createLimiter({ name: NAME, limits: limits.map(limitOf), store, clock: STOPPED_CLOCK });
}

function limitOf(limit: LimitOf): tollgate.Limit {
  return limit[0] === "tokenBucket" ? limitsByName.tokenBucket(limit[1]) : limitsByName.slidingWindow(limit[1]);
}
