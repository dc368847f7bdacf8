import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { LAST_SLOT } from "./planted-scenarios.ts";
import { OVERFLOW_BUCKETS } from "./scenarios-slots.ts";

checkEveryInterleaving([...OVERFLOW_BUCKETS, LAST_SLOT]);
checkRandomInterleavings(OVERFLOW_BUCKETS, ALL_RANDOM_RUNS);
