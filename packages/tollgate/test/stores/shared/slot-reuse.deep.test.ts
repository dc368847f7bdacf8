import { testSlotReuse } from "./slot-reuse.ts";

testSlotReuse({ stores: 4, calls: 20_000 });
