import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { LAST_SLOT } from "./planted-scenarios.ts";
import { FULL_TABLES } from "./scenarios-slots.ts";

checkEveryInterleaving([...FULL_TABLES, LAST_SLOT]);
checkRandomInterleavings(FULL_TABLES, ALL_RANDOM_RUNS);
