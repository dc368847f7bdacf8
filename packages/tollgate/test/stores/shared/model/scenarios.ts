import type { Scenario } from "./scenario.ts";
import { CHANGES } from "./scenarios-changes.ts";
import { KNOWN_KEYS, NEW_KEYS } from "./scenarios-one-cell.ts";
import { RESERVATIONS } from "./scenarios-reservations.ts";
import { KNOWN_BLOCKS, NEW_BLOCKS, OTHER_BLOCKS } from "./scenarios-several-cells.ts";
import { LAST_SLOTS, OVERFLOW_BUCKETS, RECLAIMED_SLOTS } from "./scenarios-slots.ts";

/**
 * All scenarios in which calls have to be linearizable. Deep tests explore them group by group, so that no file runs
 * for more than 90 seconds.
 */
export const SCENARIOS: readonly Scenario[] = [
  ...KNOWN_KEYS,
  ...NEW_KEYS,
  ...RECLAIMED_SLOTS,
  ...OVERFLOW_BUCKETS,
  ...LAST_SLOTS,
  ...KNOWN_BLOCKS,
  ...NEW_BLOCKS,
  ...OTHER_BLOCKS,
  ...CHANGES,
  ...RESERVATIONS,
];
