import { createLimiter, memoryStore, perSecond } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { afterEach, describe, expect, it, vi } from "vitest";

const START_MS = 1_790_000_000_123;

afterEach(() => void vi.restoreAllMocks());

const STORES = [
  ["memory", () => memoryStore()],
  ["table", () => tableStore({ maxKeys: 10 })],
] as const;

describe.each(STORES)("the sweep listeners of a %s store", (_kind, createStore) => {
  it("may throw without harm to the caller, and may insert keys", () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const clock = manualClock(START_MS);
    const limiter = createLimiter({
      limits: [perSecond(1)],
      clock,
      store: createStore(),
      observe: ({ type }) => {
        if (type !== "sweep") return;
        for (let i = 0; i < 5; i += 1) limiter.allow(`observer-${i}`);
        throw new RangeError("the log is full");
      },
    });
    limiter.allow("a");
    clock.advance(1_000);
    expect(limiter.sweep()).toBe(1);
    expect(limiter.size).toBe(5);
  });

  it("get no notifications for a closed limiter that goes on deciding", () => {
    const clock = manualClock(START_MS);
    const swept: string[] = [];
    const limiter = createLimiter({
      limits: [perSecond(1)],
      clock,
      store: createStore(),
      observe: ({ type }) => void (type === "sweep" && swept.push(type)),
    });
    limiter.allow("a");
    limiter.close();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(1_000);
      expect(limiter.sweep()).toBe(1);
      // With this many calls the store removes the empty table, and makes it again for the next key.
      for (let i = 0; i < 200; i += 1) limiter.peek("b");
      limiter.allow("a");
    }
    expect(swept).toEqual([]);
  });
});
