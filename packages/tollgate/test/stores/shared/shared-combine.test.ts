import { combine, createLimiter, perMinute, perSecond } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { KINDS_OF_MEMORY, twoEnds } from "./two-ends.ts";

const clock = manualClock(1_790_000_000_123);
const OPTIONS = { maxKeys: 100, maxBytes: 2 ** 24 };
const REFUSED = expect.objectContaining({
  code: "ERR_COMBINE",
  message: 'combine: expected limiters that differ, with names that differ where they share a store, got "api" twice',
});

describe.each(KINDS_OF_MEMORY)("limiters over one store attached twice, in %s", (_kind, use) => {
  function setUp() {
    use();
    const [store, cloned] = twoEnds(OPTIONS);
    return [store, cloned, sharedStore.attach(store.handle), sharedStore.attach(cloned.handle)] as const;
  }

  it("can be combined only under different names", () => {
    const ends = setUp();
    const limits = [perMinute(2)];
    for (const here of ends) {
      for (const there of ends) {
        const one = createLimiter({ name: "api", limits, clock, store: here });
        const same = createLimiter({ name: "api", limits: [perSecond(9)], clock, store: there });
        expect(() => combine(one, same)).toThrow(REFUSED);
        const other = createLimiter({ name: "other", limits, clock, store: there });
        expect(() => combine(combine(one, other), same)).toThrow(REFUSED);
      }
    }
  });
});
