import { createLimiter, perMinute } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const clock = manualClock(1_790_000_000_123);

/** How many of these keys, all in use, find no slot in a table. */
function keysWithoutRoom(maxKeys: number, keys: number): number {
  const store = tableStore({ maxKeys, overflow: "deny" });
  const limiter = createLimiter({ limits: [perMinute(1)], clock, store });
  let denied = 0;
  for (let i = 0; i < keys; i += 1) if (!limiter.allow(`client-${i}`)) denied += 1;
  expect([store.size, store.overflowCount]).toEqual([keys - denied, denied]);
  return denied;
}

describe("the capacity of a table", () => {
  it("is 32 keys for maxKeys of 1, under any secret", () => {
    for (let table = 0; table < 100; table += 1) expect(keysWithoutRoom(1, 32)).toBe(0);
    expect(keysWithoutRoom(1, 33)).toBe(1);
  });

  // A key finds no slot if all 32 slots in which it may lie are in use: about one in four million keys here.
  it.each([
    [10, 500],
    [100, 100],
    [1_000, 30],
    [100_000, 2],
  ])("exceeds maxKeys of %d by a fifth in %d tables", (maxKeys, tables) => {
    let denied = 0;
    for (let table = 0; table < tables; table += 1) denied += keysWithoutRoom(maxKeys, 1.2 * maxKeys);
    expect(denied).toBeLessThanOrEqual(3);
  });

  it("lets most slots be used while keys keep coming", () => {
    const store = tableStore({ maxKeys: 10_000 });
    const limiter = createLimiter({ limits: [perMinute(1)], clock, store });
    for (let i = 0; i < 60_000; i += 1) limiter.allow(`client-${i}`);
    // The table has 22,000 slots.
    expect(store.size).toBeGreaterThan(21_800);
    expect(store.size).toBe(limiter.size);
  });
});
