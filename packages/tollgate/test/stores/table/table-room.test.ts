import { createLimiter, perMinute } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const clock = manualClock(1_790_000_000_123);

/** How many of so many keys, all in use, a table has no room for. */
function keysWithoutRoom(maxKeys: number, keys: number): number {
  const store = tableStore({ maxKeys, overflow: "deny" });
  const limiter = createLimiter({ limits: [perMinute(1)], clock, store });
  let denied = 0;
  for (let i = 0; i < keys; i += 1) if (!limiter.allow(`client-${i}`)) denied += 1;
  expect([store.size, store.overflowCount]).toEqual([keys - denied, denied]);
  return denied;
}

describe("a table for as many keys as it was asked for", () => {
  it("has room for eight keys when it was asked for one, whatever the secret", () => {
    for (let table = 0; table < 500; table += 1) expect(keysWithoutRoom(1, 8)).toBe(0);
    expect(keysWithoutRoom(1, 9)).toBe(1);
  });

  // A key finds no room if both of its sets, and the other sets of the eight keys in them, are full. How many sets are
  // so, and therefore the expected number of keys without room, was measured in tables under random secrets, a million
  // of 10 keys to two of 10 million: of the first 1.2 × maxKeys keys 0.9 for 10 million, and as many fewer as the table
  // is smaller, down to 1,000. In all tables of a line together 0.0008 for 10 keys, 0.001, 0.003 and 0.017 for 100,000
  // are to be expected. More than 3 come by chance once in 10^8 runs (Poisson).
  it.each([
    [10, 500],
    [100, 100],
    [1_000, 30],
    [100_000, 2],
  ])("has room for a fifth more than %d but for a few keys in %d tables", (maxKeys, tables) => {
    let denied = 0;
    for (let table = 0; table < tables; table += 1) denied += keysWithoutRoom(maxKeys, 1.2 * maxKeys);
    expect(denied).toBeLessThanOrEqual(3);
  });

  it("has most of its slots taken when keys go on coming", () => {
    const store = tableStore({ maxKeys: 10_000 });
    const limiter = createLimiter({ limits: [perMinute(1)], clock, store });
    for (let i = 0; i < 200_000; i += 1) limiter.allow(`client-${i}`);
    // Of 22,000.
    expect(store.size).toBeGreaterThan(21_800);
    expect(store.size).toBe(limiter.size);
  });
});
