import { createLimiter, fixedWindow, type Limit, perMinute, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { BOUNDED_STORES, fill, freshKeys, sharersOf } from "./full-stores.ts";

const START_MS = 1_790_000_000_123;
const YEAR_MS = 365.25 * 86_400_000;

describe.each(BOUNDED_STORES)("time in a full $kind store", (bounded) => {
  function setUp(limits: readonly Limit[] = [perMinute(2)]) {
    const clock = manualClock(START_MS);
    const store = bounded.create({ maxKeys: 1 });
    const limiter = createLimiter({ name: "api", limits, clock, store });
    return { clock, store, limiter };
  }

  describe("buckets that start empty", () => {
    const limits = [tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty", idleTtl: "10s" })];

    it("begin to fill with the first call that needs one, denied or not", () => {
      const { clock, limiter } = setUp(limits);
      fill(bounded, limiter, 1_000);
      expect(limiter.consume("new")).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1_000 });
      clock.advance(1_000);
      expect([limiter.allow("new"), limiter.allow("new")]).toEqual([true, false]);
    });

    it("do not begin to fill when somebody looks", () => {
      const { clock, limiter } = setUp(limits);
      fill(bounded, limiter, 1_000);
      expect(limiter.peek("new")).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1_000 });
      expect(limiter.explain("new")[0]?.used).toBe(4);
      clock.advance(1_000);
      expect(limiter.consume("new")).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1_000 });
    });

    it("are empty again when nobody has used them for the idle time", () => {
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
  ])("stands as it stood after the clock jumped by decades, back and forth: %s", (_what, limits) => {
    const { clock, store, limiter } = setUp(limits);
    fill(bounded, limiter);
    limiter.allow("new");
    clock.advance(0.001);
    const standing = () => [limiter.explain("filler-0"), limiter.explain("new"), limiter.size, store.size];
    const before = standing();
    expect(before[0]).toMatchObject([{ used: 1 }, { used: 1 }].slice(0, limits.length));
    expect(before[1]).toMatchObject([{ used: 1 }, { used: 1 }].slice(0, limits.length));
    for (const years of [-50, 45, 25, -25]) {
      clock.set(START_MS + years * YEAR_MS);
      // A key that is known: what a new one finds as good as new it may take.
      limiter.peek("filler-0");
      clock.set(START_MS + 0.001);
      expect(standing()).toEqual(before);
    }
  });

  it("lets keys of an idle limiter go after a jump by decades", () => {
    const { clock, store, limiter } = setUp();
    fill(bounded, limiter);
    const busy = createLimiter({ name: "busy", limits: [perMinute(1)], clock, store });
    clock.advance(50 * YEAR_MS);
    for (let i = 0; i < 200; i += 1) busy.allow("steady");
    expect("overflowed" in busy.consume("steady")).toBe(false);
    expect(busy.size).toBe(1);
  });

  it("goes by each limiter's own clock, and takes room from none too early", () => {
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

  it("goes by the earliest clock where limiters of several share keys", () => {
    const { store, limiter } = setUp();
    fill(bounded, limiter, 2);
    const ahead = createLimiter({
      name: "api",
      limits: [perMinute(2)],
      clock: manualClock(START_MS + 3_600_000),
      store,
    });
    for (const key of freshKeys(100)) expect(ahead.consume(key).overflowed).toBe(true);
    expect(limiter.allow("filler-0")).toBe(false);
  });

  it("passes over the keys of a limiter whose clock fails", () => {
    const store = bounded.create({ maxKeys: 1 });
    let failing = false;
    const now = () => (failing ? Number.NaN : START_MS);
    const broken = createLimiter({ name: "broken", limits: [perMinute(1)], clock: { now }, store });
    fill(bounded, broken);
    failing = true;
    const clock = manualClock(START_MS + 3_600_000);
    const sound = createLimiter({ name: "sound", limits: [perMinute(1)], clock, store });
    for (let i = 0; i < 200; i += 1) sound.allow("new");
    expect(sound.consume("new").overflowed).toBe(true);
    failing = false;
    expect(broken.allow("filler-0")).toBe(false);
  });

  it.each(["its own", "another"])(
    "drops no key that was not as good as new when the call came in, though the clock goes on: %s limiter's",
    (whose) => {
      let us = START_MS * 1_000;
      // Each time it is asked it is later.
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
      for (let i = 1; i < bounded.room; i += 1) limiter.charge(`filler-${i}`, 9);
      us += 999 - bounded.room;
      expect(caller.consume("new").overflowed).toBe(true);
      expect("overflowed" in caller.consume("new")).toBe(false);
    },
  );

  it("keeps a bucket that is in use however often keys come and go", () => {
    const { clock, limiter } = setUp();
    fill(bounded, limiter, 2);
    const [other] = sharersOf("new", limiter, freshKeys(5_000));
    clock.advance(29_999);
    for (let i = 0; i < 200; i += 1) {
      limiter.reset(`filler-${i % bounded.room}`);
      limiter.charge(`filler-${i % bounded.room}`, 2);
    }
    expect(limiter.consume(other!)).toMatchObject({ allowed: false, overflowed: true, retryAfterMs: 1 });
  });
});
