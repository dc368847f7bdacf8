import type { LeaseReadings } from "../../core/store-readings.ts";

/** What a hybrid store did since it was created. Units are those of each plan's first limit. */
export type HybridStats = LeaseReadings;

/** The counts behind `HybridStats`. */
export type LeaseStats = { -readonly [Name in keyof HybridStats]: number };

export function createStats(): LeaseStats {
  return { asks: 0, decidedLocally: 0, waited: 0, leased: 0, spent: 0, returned: 0, expired: 0 };
}
