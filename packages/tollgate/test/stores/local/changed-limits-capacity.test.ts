import fc from "fast-check";
import { createLimiter } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { LISTS } from "./changed-lists.ts";
import { BOUNDED_STORES } from "./full-stores.ts";

const DAY_MS = 86_400_000;

const steps = fc.array(
  fc.record({
    version: fc.nat(LISTS.length - 1),
    key: fc.nat(5),
    verb: fc.constantFrom("consume" as const, "consume" as const, "charge" as const, "reset" as const),
    waitMs: fc.constantFrom(0, 0, 0, 1, 5_000, 40_000),
  }),
  { maxLength: 150, size: "max" },
);

describe.each(BOUNDED_STORES)("a $kind store with few slots, whose limits change,", ({ kind, create, slots }) => {
  it.each(["share", "deny"] as const)("keeps its bounds, and counts each key once: %s", (overflow) => {
    const property = fc.property(steps, fc.constantFrom("carry-over", "keep-first"), (played, onChange) => {
      const clock = manualClock(1_790_000_000_123);
      const store = create({ maxKeys: kind === "memory" ? 3 : 1, overflow });
      const most = kind === "memory" ? 3 : 3 * slots;
      const versions = LISTS.map((limits) => createLimiter({ name: "api", limits, clock, store, onChange }));
      for (const { version, key, verb, waitMs } of played) {
        clock.advance(waitMs);
        const limiter = versions[version];
        if (verb === "reset") limiter?.reset(`key-${key}`);
        else if (verb === "charge") limiter?.charge(`key-${key}`, 2);
        else {
          const peeked = limiter?.peek(`key-${key}`);
          const decision = limiter?.consume(`key-${key}`);
          // Where a key fits into a full table depends on the keys that a search has moved.
          if (kind === "memory") expect(decision).toEqual(peeked);
          else expect(decision?.remaining).not.toBeNaN();
        }
        expect(store.size).toBeLessThanOrEqual(most);
        expect(versions.reduce((total, { size }) => total + size, 0)).toBe(store.size);
      }
      clock.advance(3 * DAY_MS);
      for (const limiter of versions) limiter.sweep();
      expect(store.size).toBe(0);
    });
    fc.assert(property, { numRuns: 20 });
  });
});
