import { combine, createLimiter, memoryStore, perMinute } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

describe("a combination of limiters over a store with one free slot", () => {
  it.each([
    ["memory", () => memoryStore({ maxKeys: 10, overflow: "deny" }), 9],
    ["table", () => tableStore({ maxKeys: 1, overflow: "deny" }), 31],
  ])("is denied by the second limiter, and takes nothing: %s store", (_kind, create, fillers) => {
    const clock = manualClock(1_790_000_000_123);
    const store = create();
    const make = (name: string) => createLimiter({ name, limits: [perMinute(2)], clock, store });
    const filler = make("filler");
    for (let i = 0; i < fillers; i += 1) filler.charge(`filler-${i}`, 9);
    const both = combine(make("first"), make("second"));
    const expected = { allowed: false, reason: "store-full", limiter: "second", retryAfterMs: 1_000 };
    expect(both.consume("new")).toMatchObject({ ...expected, violated: [{ name: "2-per-1m" }] });
    expect(store.size).toBe(fillers);
  });
});
