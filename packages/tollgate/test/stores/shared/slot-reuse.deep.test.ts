import { testSlotReuse } from "./slot-reuse.ts";

testSlotReuse({ stores: 4, rounds: 3, calls: 20_000 });
