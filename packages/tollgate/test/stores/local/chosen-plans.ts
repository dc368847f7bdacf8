import { createLimiter, type Limit, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { START_MS } from "../../start-ms.ts";
import type { BoundedStore } from "./full-stores.ts";

/** One limit for each number: each is a plan of its own. */
const known = new Map<number, Limit>();
function limitOf(number: number): Limit {
  const limit = known.get(number) ?? perMinute(1, { name: `plan-${number}` });
  known.set(number, limit);
  return limit;
}

/** Frees the limits that calls have used. */
export function forgetLimits(): void {
  known.clear();
}

/** A limiter whose calls choose their plan by number, over a store for `maxKeys` keys. */
export function choosing(create: BoundedStore["create"], maxKeys: number) {
  const clock = manualClock(START_MS);
  const store = create({ maxKeys });
  const limiter = createLimiter({
    key: ({ key }: { key: string; plan: number }) => key,
    limits: ({ plan }) => [limitOf(plan)],
    clock,
    store,
  });
  return { clock, store, limiter };
}
