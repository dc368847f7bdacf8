import { createLimiter, fixedWindow, type Limit, perMinute, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { BOUNDED_STORES, fill, freshKeys, sharersOf } from "./full-stores.ts";

const YEAR_MS = 365.25 * 86_400_000;

describe.each(BOUNDED_STORES)("time in a full $kind store", (bounded) => {
  function setUp(limits: readonly Limit[] = [perMinute(2)]) {
    const clock = manualClock(START_MS);
    const store = bounded.create({ maxKeys: 1 });
    const limiter = createLimiter({ name: "api", limits, clock, store });
    return { clock, store, limiter };
  }

  describe("overflow buckets that start empty", () => {
    const limits = [tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty", idleTtl: "10s" })];

    it("start to refill with the first call on them, even a denied one", () => {
      const { clock, limiter } = setUp(limits);
      fill(bounded, limiter, 1_000);
      expect(limiter.consume("new")).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1_000 });
      clock.advance(1_000);
      expect([limiter.allow("new"), limiter.allow("new")]).toEqual([true, false]);
    });

    it("are empty again after the idle time without calls", () => {
      const { clock, limiter } = setUp(limits);
      fill(bounded, limiter, 1_000);
      limiter.allow("new");
      clock.advance(13_999.999);
      expect(limiter.peek("new", 4).allowed).toBe(true);
      clock.advance(0.001);
      expect(limiter.consume("new")).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1_000 });
    });
  });

  it.each([
    ["a bucket", [perMinute(2)]],
    ["one of an inexact scale", [tokenBucket({ capacity: 2, refill: 1_000_003, per: "1d" })]],
    ["windows", [slidingWindow({ limit: 2, window: "1m" }), fixedWindow({ limit: 2, window: "1h" })]],
  ])("restores every state after the clock has jumped by decades and back: %s", (_what, limits) => {
    // A table refuses calls more than 20 years from its first.
    if (bounded.kind === "table") return;
    const { clock, store, limiter } = setUp(limits);
    fill(bounded, limiter);
    limiter.allow("new");
    clock.advance(0.001);
    const states = () => [limiter.explain("filler-0"), limiter.explain("new"), limiter.size, store.size];
    const before = states();
    expect(before[0]).toMatchObject([{ used: 1 }, { used: 1 }].slice(0, limits.length));
    expect(before[1]).toMatchObject([{ used: 1 }, { used: 1 }].slice(0, limits.length));
    for (const years of [-50, 45, 25, -25]) {
      clock.set(START_MS + years * YEAR_MS);
      // A known key, because a new key may take the slot of an idle one.
      limiter.peek("filler-0");
      clock.set(START_MS + 0.001);
      expect(states()).toEqual(before);
    }
  });

  it("is each limiter's own clock, and no slot is taken too early", () => {
    const { clock, store, limiter } = setUp();
    fill(bounded, limiter, 2);
    const aheadClock = manualClock(START_MS + 3_600_000);
    const ahead = createLimiter({ name: "ahead", limits: [perMinute(1)], clock: aheadClock, store });
    expect(ahead.consume("new").overflowed).toBe(true);
    expect(limiter.allow("filler-0")).toBe(false);
    clock.advance(59_999.999);
    expect(ahead.consume("newer").overflowed).toBe(true);
    clock.advance(0.001);
    expect("overflowed" in ahead.consume("newest")).toBe(false);
  });

  it.each(["the same", "another"])(
    "drops no key that was in use at the time of the call, though the clock advances: key of %s limiter",
    (whose) => {
      let us = START_MS * 1_000;
      // Each reading of the clock is later.
      const now = () => {
        us += 1;
        return us / 1_000;
      };
      const clock = { now };
      const store = bounded.create({ maxKeys: 1 });
      const limits = [tokenBucket({ capacity: 1, refill: 1, per: "1ms" })];
      const limiter = createLimiter({ name: "api", limits, clock, store });
      const caller = whose === "another" ? createLimiter({ name: "caller", limits, clock, store }) : limiter;
      limiter.charge("filler-0", 1);
      for (let i = 1; i < bounded.slots; i += 1) limiter.charge(`filler-${i}`, 9);
      us += 999 - bounded.slots;
      expect(caller.consume("new").overflowed).toBe(true);
      expect("overflowed" in caller.consume("new")).toBe(false);
    },
  );

  it("keeps an overflow bucket in use while keys come and go", () => {
    const { clock, limiter } = setUp();
    fill(bounded, limiter, 2);
    const [other] = sharersOf("new", limiter, freshKeys(5_000));
    clock.advance(29_999);
    for (let i = 0; i < 200; i += 1) {
      limiter.reset(`filler-${i % bounded.slots}`);
      limiter.charge(`filler-${i % bounded.slots}`, 2);
    }
    expect(limiter.consume(other!)).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1 });
  });
});
