import type { ConcurrencyLimit } from "./limit.ts";
import type { LimitCommon } from "./limit-common.ts";

/** What limits on concurrency count, as the drafts of the RateLimit headers name it. */
export const CONCURRENT_REQUESTS = "concurrent-requests";

/** Whether a limit counts places, which are given back. The others count units, which come back with time. */
export function countsPlaces(limit: LimitCommon & { readonly algorithm: string }): limit is ConcurrencyLimit {
  return limit.algorithm === "concurrency";
}
