import { createLimiter, fixedWindow, type Limit, perHour, perMinute, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { KINDS_OF_MEMORY, twoEnds } from "./two-ends.ts";

const START_MS = 1_790_000_000_123;

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

afterEach(() => {
  vi.restoreAllMocks();
});

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

    it("see each other's new and dropped keys", () => {
      use();
      const { clock, store, end, here, there } = setUp(limits);
      for (let i = 0; i < 10; i += 1) (i % 2 === 0 ? here : there).allow(`key-${i}`);
      expect([here.size, there.size, store.size, end.size]).toEqual([10, 10, 10, 10]);
      here.reset("key-1");
      expect([here.size, there.size, store.size, end.size]).toEqual([9, 9, 9, 9]);
      there.clear();
      expect([here.size, there.size, store.size, end.size]).toEqual([0, 0, 0, 0]);
      expect(here.allow("key-3", 2)).toBe(true);
      clock.advance(2 * 3_600_000);
      expect([there.sweep(), here.sweep(), store.size]).toEqual([1, 0, 0]);
    });

    it("share keys by handles and in batches", () => {
      use();
      const { here, there } = setUp(limits);
      const [handle, other] = [here.handle("ann"), there.handle("ann")];
      expect([handle.allow(), other.allow(), handle.allow(), other.allow()]).toEqual([true, true, false, false]);
      other.refund(1);
      expect([handle.allow(), there.allow("ann")]).toEqual([true, false]);
      there.reset("ann");
      expect([handle.consume(2).allowed, other.allow(), here.allow("ann")]).toEqual([true, false, false]);
      const out = new Uint8Array(3);
      expect([here.allowMany(["bob", "bob", "ann"], out), ...out]).toEqual([2, 1, 1, 0]);
      expect([there.allowMany(["bob", "cat", "cat"], out), ...out]).toEqual([2, 0, 1, 1]);
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

  it("of limits chosen per call, with one bucket for each limit", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds(OPTIONS);
    const [free, paid] = [perMinute(1, { name: "free" }), perMinute(3, { name: "paid" })];
    const key = (input: { readonly limits: readonly Limit[] }) => `user-${input.limits.length > 0}`;
    const limits = (input: { readonly limits: readonly Limit[] }) => input.limits;
    const here = createLimiter({ name: "api", key, limits, clock, store });
    const there = createLimiter({ name: "api", key, limits, clock, store: end });
    expect([here.allow({ limits: [free, paid] }), there.allow({ limits: [paid, free] })]).toEqual([true, false]);
    expect([there.allow({ limits: [paid] }), here.allow({ limits: [paid] })]).toEqual([true, true]);
    expect([there.allow({ limits: [paid] }), here.allow({ limits: [free] })]).toEqual([false, false]);
    // A fixed list of this one limit is the same plan.
    expect(createLimiter({ name: "api", limits: [free], clock, store: end }).allow("user-true")).toBe(false);
    // A reset drops the key under every limit that this attachment knows.
    there.reset({ limits: [free] });
    expect([here.allow({ limits: [free] }), here.allow({ limits: [paid] }, 3), here.size]).toEqual([true, true, 2]);
  });

  it("of thousands of lists of limits", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds({ maxKeys: 20_000 });
    const options = {
      name: "api",
      key: () => "ann",
      limits: (number: number) => [perMinute(1, { name: `plan-${number}` })],
    };
    const here = createLimiter({ ...options, clock, store });
    const there = createLimiter({ ...options, clock, store: end });
    const numbers = Array.from({ length: 3_000 }, (_, i) => i);
    expect(numbers.filter((number) => here.allow(number))).toHaveLength(3_000);
    expect(numbers.filter((number) => there.allow(number) || here.allow(number))).toEqual([]);
    expect([store.size, store.overflowCount]).toEqual([3_000, 0]);
  });

  it("of a limiter that the other attachment has never made", () => {
    const clock = manualClock(START_MS);
    const [store, end] = twoEnds(OPTIONS);
    createLimiter({ name: "one", limits: [perMinute(1)], clock, store }).allow("ann");
    createLimiter({ name: "two", limits: [perMinute(1), perHour(1)], clock, store }).allow("ann");
    expect(end.size).toBe(2);
  });
});
