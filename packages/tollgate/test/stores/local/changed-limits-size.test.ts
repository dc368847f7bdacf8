import fc from "fast-check";
import { combine, createLimiter, type Limit, memoryStore, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { calls, LISTS } from "./changed-lists.ts";
import { BOUNDED_STORES } from "./full-stores.ts";

const DAY_MS = 86_400_000;

const steps = fc.array(
  fc.record({
    version: fc.nat(LISTS.length - 1),
    key: fc.nat(5),
    act: fc.constantFrom("consume", "consume", "consume", "reset", "sweep", "read its size", "replace"),
    waitMs: fc.constantFrom(0, 0, 0, 1, 5_000, 40_000, DAY_MS),
    adds: fc.boolean(),
  }),
  { maxLength: 80, size: "max" },
);

const sumOf = (limiters: readonly { readonly size: number }[]) => limiters.reduce((sum, { size }) => sum + size, 0);

describe("when limits change, the sizes of all open limiters add up to the size of the store", () => {
  // Each call is the index of a list and a key.
  it.each([
    ["3:e 2:e 2:a 0:a 3:a", "0:e"],
    ["0:c 2:c 1:a 2:a 3:a", ""],
    ["3:a 4:b 2:b 0:f 2:f 0:b", ""],
  ])("though a key has moved into a limiter's table before that limiter has looked: %s, later %s", (now, later) => {
    const clock = manualClock(1_790_000_000_123);
    const store = memoryStore({ maxKeys: 3, overflow: "deny" });
    const versions = LISTS.map((limits) =>
      createLimiter({ name: "api", limits, clock, store, onChange: "keep-first" }),
    );
    const play = (made: string) => {
      for (const [version, , key] of made.split(" ")) versions[Number(version)]?.consume(String(key));
    };
    play(now);
    clock.advance(40_000);
    play(later);
    expect(sumOf(versions)).toBe(store.size);
    expect(sumOf(versions.toReversed())).toBe(store.size);
  });
});

describe.each(BOUNDED_STORES)(
  "in a $kind store, when limits change, each key counts in one size",
  ({ kind, create, slots }) => {
    it.each(["carry-over", "keep-first"] as const)("while limiters are replaced and keys go: %s", (onChange) => {
      const property = fc.property(steps, fc.constantFrom("share", "deny"), (played, overflow) => {
        const clock = manualClock(1_790_000_000_123);
        const store = create({ maxKeys: kind === "memory" ? 3 : 1, overflow });
        const open = (limits: readonly Limit[]) => createLimiter({ name: "api", limits, clock, store, onChange });
        const versions = LISTS.map(open);
        for (const { version, key, act, waitMs, adds } of played) {
          clock.advance(waitMs);
          const limiter = versions[version]!;
          if (act === "consume") {
            const peeked = limiter.peek(`key-${key}`);
            const decision = limiter.consume(`key-${key}`);
            // Where a key fits into a full table depends on the keys that a search has moved.
            if (kind === "memory") expect(decision).toEqual(peeked);
          } else if (act === "reset") limiter.reset(`key-${key}`);
          else if (act === "sweep") limiter.sweep();
          else if (act === "read its size") expect(limiter.size).toBeLessThanOrEqual(store.size);
          else {
            limiter.close();
            versions[version] = open(LISTS[version]!);
          }
          expect(store.size).toBeLessThanOrEqual(kind === "memory" ? 3 : 3 * slots);
          if (adds) expect(sumOf(versions)).toBe(store.size);
        }
        clock.advance(3 * DAY_MS);
        for (const limiter of versions) limiter.sweep();
        expect(store.size).toBe(0);
      });
      fc.assert(property, { numRuns: 60 });
    });

    it("while one of two limiters with the same limits is open, however often the other is closed", () => {
      const clock = manualClock(1_790_000_000_123);
      const store = create({ maxKeys: 100 });
      const open = (limits: readonly Limit[]) => createLimiter({ name: "api", limits, clock, store });
      const [kept, closed] = [open([calls(3)]), open([calls(3)])];
      const both = combine(closed, createLimiter({ name: "other", limits: [perMinute(9)], clock, store }));
      closed.allow("ann");
      both.close();
      closed.close();
      const after = open([calls(4)]);
      expect([kept.size, after.size]).toEqual([1, 0]);
      kept.close();
      expect(after.size).toBe(1);
    });
  },
);
