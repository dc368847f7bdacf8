import { BOUNDED_STORES } from "./full-stores.ts";
import { testFlood } from "./overflow-flood.ts";

for (const store of BOUNDED_STORES) testFlood(store, 1_000_000);
