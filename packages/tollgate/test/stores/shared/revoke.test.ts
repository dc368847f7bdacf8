import {
  combine,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  perMinute,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { behindDoor } from "./interrupted-combine.ts";
import { twoEnds } from "./two-ends.ts";

/** The slots of a store for one key. */
const SLOTS = 32;

const LISTS: readonly (readonly [name: string, limits: readonly Limit[]])[] = [
  ["a bucket", [perMinute(5)]],
  ["a bucket of an inexact scale", [tokenBucket({ capacity: 5, refill: 11, per: "1m" })]],
  ["a fixed window", [fixedWindow({ limit: 5, window: "1m", anchor: "first-use" })]],
  ["a sliding window", [slidingWindow({ limit: 5, window: "1m", resolution: 0 })]],
  ["a coarse sliding window", [slidingWindow({ limit: 5, window: "1m", resolution: "30s" })]],
  ["a bucket and a window", [perMinute(5), slidingWindow({ limit: 4, window: "1m", resolution: "10s" })]],
  ["a bucket and a window in shadow mode", [perMinute(5), fixedWindow({ limit: 2, window: "1m", mode: "shadow" })]],
];

function setUp(limits: readonly Limit[], overflow: "deny" | "share" = "deny") {
  const clock = manualClock(START_MS);
  const [store, end] = twoEnds({ maxKeys: 1, maxBytes: 2 ** 24, overflow });
  const make = (name: string, one = store) => createLimiter({ name, limits, clock, store: one });
  return { clock, store, end, make, here: make("api"), there: make("api", end) };
}

/** The state of a key, now and in the next minute. */
function stateOf(limiter: Limiter, clock: ManualClock): unknown[] {
  const startMs = clock.now();
  const states = Array.from({ length: 61 }, (_, second) => {
    clock.set(startMs + 1_000 * second);
    return limiter.explain("ann");
  });
  clock.set(startMs);
  return states;
}

describe.each(LISTS)("a denied combined call restores the state of %s", (_name, limits) => {
  it("when the next limiter finds no slot", () => {
    const { clock, store, make, here } = setUp(limits);
    const [first, second] = [make("first"), make("second")];
    for (let i = 0; i < SLOTS - 2; i += 1) make("filler").charge(`filler-${i}`, 5);
    here.allow("ann", 2);
    clock.advance(7_000);
    const before = stateOf(here, clock);
    const absent = stateOf(first, clock);
    expect(combine(here, first, second).consume("ann")).toMatchObject({ reason: "store-full", limiter: "second" });
    expect(stateOf(here, clock)).toEqual(before);
    expect(stateOf(first, clock)).toEqual(absent);
    expect([first.size, second.size, store.size]).toEqual([0, 0, SLOTS - 1]);
    expect([first.allow("ann"), here.allow("ann", 2)]).toEqual([true, true]);
  });

  it("when another thread was quicker with another limiter", () => {
    const { clock, here, there } = setUp(limits);
    for (const calls of [0, 1, 1, 1]) {
      for (let call = 0; call < calls; call += 1) here.allow("ann");
      const before = stateOf(there, clock);
      const [size, used] = [there.size, here.explain("ann")[0]?.used];
      const both = behindDoor(here, clock, () => {
        expect(there.explain("ann")[0]?.used).toBe(used! + 1);
        clock.advance(500);
      });
      expect(both.consume("ann")).toMatchObject({ allowed: false, limiter: "door" });
      clock.advance(-500);
      expect(stateOf(there, clock)).toEqual(before);
      expect(there.size).toBe(size);
      clock.advance(3_000);
    }
  });
});

describe("a combined call that is denied after another thread has changed the key", () => {
  /** Refills one unit every 50 ms. */
  const limits = [tokenBucket({ capacity: 1, refill: 1, per: "50ms" })];

  it("refunds nothing to a bucket that has become full again", () => {
    const { clock, here, there } = setUp(limits);
    const both = behindDoor(here, clock, () => {
      clock.advance(50);
      expect(there.allow("ann")).toBe(true);
    });
    expect(both.allow("ann")).toBe(false);
    clock.advance(12);
    expect(there.allow("ann")).toBe(false);
    clock.advance(37.999);
    expect(there.allow("ann")).toBe(false);
    clock.advance(0.001);
    expect(there.allow("ann")).toBe(true);
  });

  it("refunds to a bucket the units that still count", () => {
    const { clock, here, there } = setUp([tokenBucket({ capacity: 3, refill: 1, per: "50ms" })]);
    const both = behindDoor(here, clock, () => {
      clock.advance(20);
      expect(there.allow("ann", 2)).toBe(true);
    });
    expect(both.allow("ann")).toBe(false);
    expect(there.explain("ann", 2)[0]).toMatchObject({ used: 2, retryAfterMs: 50 });
    clock.advance(50);
    expect([there.allow("ann", 2), there.allow("ann")]).toEqual([true, false]);
  });

  it("refunds no more than its units when the clock has gone back", () => {
    const { clock, here, there } = setUp([tokenBucket({ capacity: 5, refill: 1, per: "1h" })]);
    there.allow("ann", 2);
    const both = behindDoor(here, clock, () => {
      there.allow("ann");
      clock.advance(-3_600_000);
    });
    expect(both.allow("ann")).toBe(false);
    clock.advance(3_600_000);
    expect(there.explain("ann")[0]?.used).toBe(3);
  });

  it("frees its own place, and none that expires sooner", () => {
    const { clock, here, there } = setUp([concurrency({ max: 4, ttl: 100 })]);
    // Its holder crashes.
    there.reserve("ann");
    clock.advance(50);
    const both = behindDoor(here, clock, () => void there.reserve("ann"));
    expect(both.reserve("ann").decision.allowed).toBe(false);
    expect(there.explain("ann")[0]?.used).toBe(2);
    clock.advance(50);
    expect(there.explain("ann")[0]?.used).toBe(1);
  });

  it.each(["reset", "clear"] as const)("refunds nothing after a %s", (verb) => {
    const { clock, here, there } = setUp([tokenBucket({ capacity: 3, refill: 1, per: "1h" })]);
    const both = behindDoor(here, clock, () => {
      if (verb === "reset") there.reset("ann");
      else there.clear();
      expect(there.allow("ann", 2)).toBe(true);
    });
    expect(both.allow("ann")).toBe(false);
    expect([there.allow("ann"), there.allow("ann")]).toEqual([true, false]);
  });
});

describe("combined calls that a second limiter denies anyway", () => {
  it.each([
    ["a fixed window", fixedWindow({ limit: 100, window: "1d" })],
    ["a sliding window", slidingWindow({ limit: 100, window: "1d" })],
  ])("take nothing of %s, however many other threads call meanwhile", (_name, limit) => {
    const { clock, here, there } = setUp([limit]);
    const both = behindDoor(here, clock, () => void there.allow("ann"));
    // From here on the door is closed.
    both.allow("ann");
    const before = stateOf(there, clock);
    for (let call = 0; call < 50; call += 1) expect(both.allow("ann")).toBe(false);
    expect(stateOf(there, clock)).toEqual(before);
  });
});
