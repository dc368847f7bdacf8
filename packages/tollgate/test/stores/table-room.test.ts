import { createLimiter, perMinute } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const clock = manualClock(1_790_000_000_123);

/** How many keys get room in a table before one does not. */
function keysWithRoom(maxKeys: number): number {
  const store = tableStore({ maxKeys, overflow: "deny" });
  const limiter = createLimiter({ limits: [perMinute(1)], clock, store });
  let admitted = 0;
  while (admitted < 9 * maxKeys && limiter.allow(`client-${admitted}`)) admitted += 1;
  expect([store.size, store.overflowed]).toEqual([admitted, 1]);
  return admitted;
}

describe("a table for as many keys as it was asked for", () => {
  // What was seen in tens of thousands of tables: 14 and more, 148, 1,372, 129,636.
  it.each([
    [1, 500, 8],
    [10, 500, 11],
    [100, 100, 120],
    [1_000, 30, 1_200],
    [100_000, 2, 120_000],
  ])("has room for more than %d, whatever the secret", (maxKeys, tables, least) => {
    const counts = Array.from({ length: tables }, () => keysWithRoom(maxKeys));
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(least);
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
