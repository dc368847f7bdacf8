import { createLimiter, fixedWindow, type Limit, perMinute } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const clock = manualClock(1_790_000_000_123);

/** How many keys get slots in a new store until the first finds none. Each store has a secret of its own. */
function keysWithSlots(maxKeys: number, limits: readonly Limit[]): number {
  const store = sharedStore({ maxKeys, overflow: "deny" });
  const limiter = createLimiter({ name: "api", limits, clock, store });
  let admitted = 0;
  while (admitted < 33 * maxKeys && limiter.allow(`client-${admitted}`)) admitted += 1;
  expect([store.size, store.overflowCount]).toEqual([admitted, 1]);
  return admitted;
}

describe("the capacity of a shared store", () => {
  it.each([
    [1, 200, 12],
    [10, 200, 12],
    [100, 100, 101],
    [1_000, 40, 1_001],
    [100_000, 1, 100_001],
  ])("exceeds maxKeys of %d under any secret", (maxKeys, stores, least) => {
    const counts = Array.from({ length: stores }, () => keysWithSlots(maxKeys, [perMinute(1)]));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(least);
  });

  it("is maxKeys for each width", () => {
    const store = sharedStore({ maxKeys: 1_000, overflow: "deny" });
    const narrow = createLimiter({ name: "narrow", limits: [perMinute(1)], clock, store });
    const wide = createLimiter({ name: "wide", limits: [fixedWindow({ limit: 1, window: "1h" })], clock, store });
    const keys = Array.from({ length: 1_000 }, (_, i) => `key-${i}`);
    expect(keys.filter((key) => narrow.allow(key) && wide.allow(key))).toHaveLength(1_000);
    expect([store.size, narrow.size, wide.size, store.overflowCount]).toEqual([2_000, 1_000, 1_000, 0]);
  });
});
