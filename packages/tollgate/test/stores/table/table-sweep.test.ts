import { createLimiter, perMinute, perSecond } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";

describe("a sweep of a table", () => {
  it("drops the limiter's idle keys, and no keys of other limiters", () => {
    const clock = manualClock(START_MS);
    const store = tableStore({ maxKeys: 1_000 });
    const limiter = createLimiter({ name: "api", limits: [perSecond(1)], clock, store });
    const slow = createLimiter({ name: "slow", limits: [perMinute(1)], clock, store });
    const idle = createLimiter({ name: "idle", limits: [perSecond(1)], clock, store });
    for (let i = 0; i < 300; i += 1) for (const one of [limiter, slow, idle]) one.allow(`key-${i}`);
    expect(limiter.sweep()).toBe(0);
    clock.advance(1_000);
    for (let i = 0; i < 10; i += 1) limiter.allow(`key-${i}`);
    expect(limiter.sweep()).toBe(290);
    expect([limiter.size, slow.size, idle.size, store.size]).toEqual([10, 300, 300, 610]);
    expect(slow.sweep()).toBe(0);
    for (let i = 0; i < 10; i += 1) expect([limiter.allow(`key-${i}`), slow.allow(`key-${i}`)]).toEqual([false, false]);
    // In this order, because a new key may take the slot of an idle one.
    expect([idle.sweep(), limiter.allow("key-10")]).toEqual([300, true]);
  });
});
