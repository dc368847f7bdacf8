import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { LAST_SLOTS } from "./scenarios-slots.ts";

checkEveryInterleaving(LAST_SLOTS);
checkRandomInterleavings(LAST_SLOTS, ALL_RANDOM_RUNS);
