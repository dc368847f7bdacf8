import { createLimiter } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { BUCKETS, fill, keys, LISTS, SLOTS } from "./full-shared-store.ts";
import { twoEnds } from "./two-ends.ts";

// What else keys without slots do is the same in a table: overflow-share.test.ts and overflow-deny.test.ts.
it.each(LISTS)("both attachments of a full shared store share 256 overflow buckets, with %s a key", (_name, limits) => {
  const clock = manualClock(START_MS);
  const [store, end] = twoEnds({ maxKeys: 1 });
  const here = createLimiter({ name: "api", limits, clock, store });
  const there = createLimiter({ name: "api", limits, clock, store: end });
  fill(here);
  expect([store.size, end.size, there.size, store.overflowCount]).toEqual([SLOTS, SLOTS, SLOTS, 0]);
  const admitted = keys(10_000).filter((key, i) => (i % 2 === 0 ? here : there).allow(key));
  expect(admitted).toHaveLength(BUCKETS * 2);
  expect([store.size, store.overflowCount, end.overflowCount]).toEqual([SLOTS, 10_000, 10_000]);
});
