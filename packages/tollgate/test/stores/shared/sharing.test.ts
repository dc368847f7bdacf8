import { createLimiter, fixedWindow, type Limit, perHour, perMinute, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { KINDS_OF_MEMORY, twoEnds } from "./two-ends.ts";

/** Each list admits two units. */
const LISTS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["one token bucket", [perMinute(2)]],
  ["a fixed window", [fixedWindow({ limit: 2, window: "1h" })]],
  ["a sliding window and a bucket", [slidingWindow({ limit: 2, window: "1m", resolution: "20s" }), perMinute(5)]],
];

const OPTIONS = { maxKeys: 1_000, maxBytes: 2 ** 26 };

function setUp(limits: readonly Limit[]) {
  const clock = manualClock(START_MS);
  const [store, end] = twoEnds(OPTIONS);
  const here = createLimiter({ name: "api", limits, clock, store });
  const there = createLimiter({ name: "api", limits, clock, store: end });
  return { clock, store, end, here, there };
}

describe.each(KINDS_OF_MEMORY)("two attachments of a store in %s", (_kind, use) => {
  describe.each(LISTS)("with keys of %s", (_name, limits) => {
    it("share the remaining units of a key", () => {
      use();
      const { here, there } = setUp(limits);
      expect(here.consume("ann")).toMatchObject({ allowed: true, remaining: 1 });
      expect(there.consume("ann")).toMatchObject({ allowed: true, remaining: 0 });
      expect([here.allow("ann"), there.allow("ann"), there.allow("bob", 2)]).toEqual([false, false, true]);
      expect(there.peek("ann")).toEqual(here.peek("ann"));
      expect(there.explain("bob")).toEqual(here.explain("bob"));
    });
  });
});

describe("two attachments of a shared store share the keys", () => {
  it("of limiters with equal limits, and of no others", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds(OPTIONS);
    createLimiter({ name: "api", limits: [perMinute(2)], clock, store }).charge("ann", 2);
    const others: readonly (readonly [name: string, limits: readonly Limit[], shares: boolean])[] = [
      ["api", [perMinute(2)], true],
      ["API", [perMinute(2)], false],
      ["api", [perMinute(3)], false],
      ["api", [perMinute(2, { name: "named" })], false],
      ["api", [perMinute(2, { unit: "tokens" })], false],
      ["api", [perMinute(2), perHour(5)], false],
      ["api", [fixedWindow({ limit: 2, window: "1m" })], false],
    ];
    for (const [name, limits, shares] of others) {
      const there = createLimiter({ name, limits, clock, store: end });
      const unit = limits[0]!.unit;
      expect(there.allow("ann", { [unit]: 1 })).toBe(!shares);
    }
  });
});
