import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { RESERVATIONS } from "./scenarios-reservations.ts";

checkEveryInterleaving(RESERVATIONS);
checkRandomInterleavings(RESERVATIONS, ALL_RANDOM_RUNS);
