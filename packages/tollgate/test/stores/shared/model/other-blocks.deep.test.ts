import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { OTHER_BLOCKS } from "./scenarios-several-cells.ts";

checkEveryInterleaving(OTHER_BLOCKS);
checkRandomInterleavings(OTHER_BLOCKS, ALL_RANDOM_RUNS);
