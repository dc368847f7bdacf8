import { BOUNDED_STORES } from "./full-stores.ts";
import { testFlood } from "./overflow-flood.ts";

// The deep tests flood with a million keys.
for (const store of BOUNDED_STORES) testFlood(store, 50_000);
