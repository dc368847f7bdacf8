import { checkEveryInterleaving, checkRandomInterleavings } from "./check-interleavings.ts";
import { PLACES, RESERVATIONS } from "./scenarios-reservations.ts";

checkEveryInterleaving(PLACES);
// A part of what the deep tests explore.
checkRandomInterleavings(RESERVATIONS, 1_500);
