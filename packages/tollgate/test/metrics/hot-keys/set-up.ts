import { createLimiter, type Limiter, perSecond } from "tollgate";
import type { HotKeysOptions } from "tollgate/metrics";
import { type ManualClock, manualClock } from "tollgate/testing";
import { START_MS } from "../../start-ms.ts";

/** Every call is chosen. */
export const ALL: HotKeysOptions = { sample: 1 };

export function setUp(limit = 1_000): { readonly clock: ManualClock; readonly limiter: Limiter } {
  const clock = manualClock(START_MS);
  return { clock, limiter: createLimiter({ limits: [perSecond(limit)], clock }) };
}

export const exactly = (key: string, count: number): { key: string; count: number; error: number } => ({
  key,
  count,
  error: 0,
});
