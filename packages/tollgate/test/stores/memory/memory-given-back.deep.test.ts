import { createLimiter, memoryStore, perMinute, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { arrayBuffersInUse, heapInUse } from "./memory-in-use.ts";

describe("a memory store", () => {
  it.each([
    [undefined, 20_000],
    ["2s", 4_000],
  ] as const)("keeps the keys of two intervals of %s, without a timer", (sweepInterval, keys) => {
    const clock = manualClock(START_MS);
    using store = memoryStore(sweepInterval === undefined ? {} : { sweepInterval });
    const limiter = createLimiter({ limits: [perSecond(1)], clock, store });
    let most = 0;
    for (let i = 0; i < 200_000; i += 1) {
      limiter.allow(`client-${i}`);
      clock.advance(1);
      most = Math.max(most, limiter.size);
    }
    // A thousand keys come in a second.
    expect(most).toBeLessThan(keys);
  });

  it("frees the cells of a burst of keys", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 64, window: "1s" })], clock });
    const before = arrayBuffersInUse();
    for (let i = 0; i < 20_000; i += 1) limiter.allow(`burst-${i}`);
    // There are 20,000 keys of 134 cells. The collector may have freed older arrays meanwhile.
    expect(arrayBuffersInUse() - before).toBeGreaterThan(15e6);
    clock.advance(1_000);
    limiter.sweep();
    await vi.waitFor(() => expect(arrayBuffersInUse() - before).toBeLessThan(1e6));
    limiter.allow("a", 64);
    expect(limiter.allow("a")).toBe(false);
  });

  it.each([
    ["a fixed list", [perMinute(1)]],
    ["limits chosen per call", () => [perMinute(1)]],
  ])("handles do not keep the text that a key was cut out of, under %s", async (_which, limits) => {
    const limiter = createLimiter({ limits, clock: manualClock(START_MS) });
    const before = heapInUse();
    const handles = Array.from({ length: 100 }, (_, i) => {
      const header = `client-number-${i}, ${String(i).repeat(1_000_000)}`;
      return limiter.handle(header.slice(0, header.indexOf(",")));
    });
    await vi.waitFor(() => expect(heapInUse() - before).toBeLessThan(20e6));
    expect([handles[7]?.allow(), handles[7]?.allow()]).toEqual([true, false]);
  });

  it("keeps nothing of limiters that are dropped without being closed", async () => {
    using store = memoryStore();
    const use = (name: string) => {
      const limiter = createLimiter({ name, limits: [perMinute(1, { name: "calls" })], store, clock });
      limiter.allow("ann");
      limiter.reset("ann");
    };
    const clock = manualClock(START_MS);
    const before = heapInUse();
    for (let i = 0; i < 5_000; i += 1) use(`limiter-${i}`);
    // Their tables go a few at a time, as calls come in.
    const busy = createLimiter({ limits: [perMinute(1)], clock, store });
    await vi.waitFor(() => {
      clock.advance(20_000);
      for (let i = 0; i < 20_000; i += 1) busy.allow("steady");
      expect(heapInUse() - before).toBeLessThan(2e6);
    });
  });
});
