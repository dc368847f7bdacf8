import { combine, createLimiter, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { BOUNDED_STORES, fill, freshKeys } from "./full-stores.ts";

const clock = manualClock(1_790_000_000_123);

describe.each(BOUNDED_STORES)("combined limiters on a $kind store with one free slot", (bounded) => {
  /** Limiters over one store. Tests fill its slots with keys in use. */
  function setUp(overflow: "share" | "deny") {
    const store = bounded.create({ maxKeys: 1, overflow });
    const make = (name: string, limits = [perMinute(2)]) => createLimiter({ name, limits, clock, store });
    const filler = make("filler");
    return { store, make, first: make("first"), second: make("second"), filler };
  }

  it("deny a call when the first limiter takes the last slot", () => {
    const { store, first, second, filler } = setUp("deny");
    fill(bounded, filler);
    filler.reset("filler-0");
    const decision = combine(first, second).consume("new");
    expect(decision).toMatchObject({ allowed: false, reason: "store-full", limiter: "second", retryAfterMs: 1_000 });
    expect(decision).toMatchObject({ violated: [{ name: "2-per-1m" }] });
    expect([first.explain("new")[0]?.used, second.explain("new")[0]?.used]).toEqual([0, 0]);
    expect(store.overflowCount).toBe(1);
  });

  it("deny a call when the overflow bucket of the second limiter is empty", () => {
    const { first, second, filler } = setUp("share");
    fill(bounded, filler);
    for (const key of freshKeys(20_000)) second.allow(key);
    filler.reset("filler-0");
    const both = combine(first, second);
    expect(both.consume("new")).toMatchObject({
      allowed: false,
      reason: "exhausted",
      limiter: "second",
      overflowed: true,
      retryAfterMs: 30_000,
    });
    expect(first.explain("new")[0]?.used).toBe(0);
    // The call is allowed once that bucket has refilled. The fillers are still in use.
    for (let i = 1; i < bounded.slots; i += 1) filler.charge(`filler-${i}`, 2);
    clock.advance(30_000);
    first.reset("new");
    expect(both.consume("new")).toMatchObject({ allowed: true, overflowed: true });
    expect([first.peek("new", 0).remaining, second.peek("new", 0).remaining]).toEqual([1, 0]);
  });

  it("change no count in a denied call, not even of shadow limits", () => {
    const { first, second, filler } = setUp("deny");
    fill(bounded, filler);
    filler.reset("filler-0");
    const limits = [perMinute(5), perMinute(1, { name: "watched", mode: "shadow" })];
    const known = createLimiter({ name: "known", limits, clock });
    known.allow("new");
    const before = known.explain("new");
    expect(combine(known, first, second).consume("new")).toMatchObject({ allowed: false, reason: "store-full" });
    expect(known.explain("new")).toEqual(before);
  });
});
