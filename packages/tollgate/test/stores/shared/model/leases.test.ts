import { checkEveryInterleaving } from "./check-interleavings.ts";
import { LEASES } from "./scenarios-leases.ts";

checkEveryInterleaving(LEASES);
