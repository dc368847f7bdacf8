import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { KNOWN_KEYS } from "./scenarios-one-cell.ts";

checkEveryInterleaving(KNOWN_KEYS);
checkRandomInterleavings(KNOWN_KEYS, ALL_RANDOM_RUNS);
