import { createLimiter, type Duration, memoryStore, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";

it.each([
  ["another resolution no sooner than they would have, and later by at most the coarser one", 1_000, "2s", 2_000],
  ["a smaller limit no sooner than they would have, and no later than the newest", 5, 0, 10_000],
] as const)("units of a sliding window leave under %s", (_change, limit, resolution, mostLateMs) => {
  const clock = manualClock(START_MS);
  const store = memoryStore();
  const limiterOf = (numbers: { readonly limit: number; readonly resolution: Duration }) =>
    createLimiter({ name: "api", limits: [slidingWindow({ name: "calls", window: "10s", ...numbers })], clock, store });
  const [before, after] = [limiterOf({ limit: 1_000, resolution: 0 }), limiterOf({ limit, resolution })];
  const cameMs: number[] = [];
  for (let ms = 0; ms <= 6_970; ms += 170) {
    cameMs.push(ms);
    // The last one moves the key.
    (ms === 6_970 ? after : before).charge("ann", 1);
    if (ms < 6_970) clock.advance(170);
  }
  const usedAt = (ms: number) => cameMs.filter((came) => came + 10_000 > ms).length;
  const used = () => after.explain("ann")[0]?.used;
  for (let ms = 6_970; ms < 6_970 + 10_000; ms += 10) {
    expect(used(), `after ${ms} ms`).toBeGreaterThanOrEqual(usedAt(ms));
    expect(used(), `after ${ms} ms`).toBeLessThanOrEqual(usedAt(ms - mostLateMs));
    clock.advance(10);
  }
  // The coarser group of the last unit may have begun later.
  clock.advance(mostLateMs);
  expect(used()).toBe(0);
});
