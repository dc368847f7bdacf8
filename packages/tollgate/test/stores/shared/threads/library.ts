import type * as tollgate from "tollgate";
import type * as shared from "tollgate/shared";
import type { SharedStore } from "tollgate/shared";

/** The built library, for workers cannot load TypeScript on every Node. TOLLGATE_DIST points the tests at another copy of it. */
export const DIST: string = process.env["TOLLGATE_DIST"] ?? new URL("../../../../dist", import.meta.url).href;

const { createLimiter, ...limitsByName } = (await import(`${DIST}/index.js`)) as typeof tollgate;
export const { sharedStore } = (await import(`${DIST}/stores/shared/index.js`)) as typeof shared;

/** A limit as it goes to workers: who makes it, and of what. */
export type LimitOf =
  | readonly ["tokenBucket", tollgate.TokenBucketOptions]
  | readonly ["slidingWindow", tollgate.SlidingWindowOptions];

/** Some moment in 2026. */
export const STANDING_MS = 1_790_000_000_123.457;
const STANDING: tollgate.Clock = { now: () => STANDING_MS };

/** All threads know it by this. */
export const NAME = "shared";

/** As jobs/worker.mjs makes it: by the clock that stands still. */
export function limiterOver(store: SharedStore, limits: readonly LimitOf[]): tollgate.Limiter {
  return createLimiter({ name: NAME, limits: limits.map(limitOf), store, clock: STANDING });
}

function limitOf(limit: LimitOf): tollgate.Limit {
  return limit[0] === "tokenBucket" ? limitsByName.tokenBucket(limit[1]) : limitsByName.slidingWindow(limit[1]);
}
