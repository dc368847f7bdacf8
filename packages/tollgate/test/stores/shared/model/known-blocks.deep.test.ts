import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { KNOWN_BLOCKS } from "./scenarios-several-cells.ts";

checkEveryInterleaving(KNOWN_BLOCKS);
checkRandomInterleavings(KNOWN_BLOCKS, ALL_RANDOM_RUNS);
