import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { NEW_KEYS } from "./scenarios-one-cell.ts";

checkEveryInterleaving(NEW_KEYS);
checkRandomInterleavings(NEW_KEYS, ALL_RANDOM_RUNS);
