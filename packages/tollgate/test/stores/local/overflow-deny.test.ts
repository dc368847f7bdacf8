import { createLimiter, type Limit, perMinute, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { BOUNDED_STORES, fill } from "./full-stores.ts";

describe.each(BOUNDED_STORES)("a full $kind store with overflow: deny", (bounded) => {
  function setUp(limits: readonly Limit[] = [perMinute(2)]) {
    const clock = manualClock(START_MS);
    const store = bounded.create({ maxKeys: 1, overflow: "deny" });
    const limiter = createLimiter({ name: "api", limits, clock, store });
    fill(bounded, limiter);
    return { clock, store, limiter };
  }

  it("denies with the reason store-full and a retry time of one second", () => {
    const { store, limiter } = setUp();
    const decision = limiter.consume("new");
    expect(decision).toMatchObject({ allowed: false, reason: "store-full", retryAfterMs: 1_000, remaining: 2 });
    expect(decision.limit?.name).toBe("2-per-1m");
    expect("overflowed" in decision).toBe(false);
    expect(limiter.peek("new")).toEqual(decision);
    expect(limiter.charge("new", 1)).toMatchObject({ allowed: false, reason: "store-full" });
    expect([limiter.allow("new"), limiter.handle("new").allow()]).toEqual([false, false]);
    expect([store.size, store.overflowCount]).toEqual([bounded.slots, 4]);
  });

  it("counts nothing for a denied key", () => {
    const { clock, limiter } = setUp();
    for (let i = 0; i < 10; i += 1) limiter.charge("new", 2);
    expect(limiter.explain("new")[0]).toMatchObject({ used: 0, remaining: 2, allowed: false, retryAfterMs: 1_000 });
    clock.advance(30_000);
    expect(limiter.consume("new", 2)).toMatchObject({ allowed: true });
  });

  it("allows calls of cost 0", () => {
    const { store, limiter } = setUp();
    expect(limiter.consume("new", 0)).toMatchObject({ allowed: true, remaining: 2 });
    expect([limiter.allow("new", 0), store.size]).toEqual([true, bounded.slots]);
  });

  it("denies only by limits for which the call has a cost", () => {
    const { limiter } = setUp([perMinute(2), perMinute(5, { unit: "tokens", name: "tokens" })]);
    expect(limiter.consume("new", { tokens: 1 })).toMatchObject({ allowed: false, limit: { name: "tokens" } });
    expect(limiter.explain("new", { tokens: 1 }).map(({ allowed }) => allowed)).toEqual([true, false]);
  });

  it("denies by enforcing limits, and counts nothing under shadow limits", () => {
    const { limiter } = setUp([perMinute(2), perSecond(2, { mode: "shadow" })]);
    expect(limiter.consume("new")).toMatchObject({
      allowed: false,
      reason: "store-full",
      limit: { name: "2-per-1m" },
      shadowDenied: [{ name: "2-per-1s" }],
    });
    limiter.reset("filler-0");
    expect(limiter.explain("new").map(({ used }) => used)).toEqual([0, 0]);
  });
});
