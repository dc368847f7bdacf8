import { ALL_RANDOM_RUNS, checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { NEW_BLOCKS } from "./scenarios-several-cells.ts";

checkEveryInterleaving(NEW_BLOCKS);
checkRandomInterleavings(NEW_BLOCKS, ALL_RANDOM_RUNS);
