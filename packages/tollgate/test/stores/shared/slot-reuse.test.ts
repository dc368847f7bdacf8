import { testSlotReuse } from "./slot-reuse.ts";

testSlotReuse({ stores: 1, rounds: 1, calls: 4_000 });
