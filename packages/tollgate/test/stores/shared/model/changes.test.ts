import { checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { CHANGES, ONE_CHANGE, TWO_ROWS } from "./scenarios-changes.ts";

checkEveryInterleaving([...ONE_CHANGE, TWO_ROWS]);
// A part of what the deep tests explore.
checkRandomInterleavings(CHANGES, 600);
