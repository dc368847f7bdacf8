import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { RECLAIMED_SLOTS } from "./scenarios-slots.ts";

checkEveryInterleaving(RECLAIMED_SLOTS);
checkRandomInterleavings(RECLAIMED_SLOTS, ALL_RANDOM_RUNS);
