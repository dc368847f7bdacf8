import { createLimiter, memoryStore, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";

const INTERVAL_MS = 10_000;

function setUp() {
  const clock = manualClock(START_MS);
  const store = memoryStore();
  return { clock, store, limiter: createLimiter({ limits: [perSecond(1_000)], clock, store }) };
}

describe("a memory store drops idle keys at most once in an interval", () => {
  it("so that clients that are idle at each of their calls keep their slots", async () => {
    const { clock, store, limiter } = setUp();
    const seconds = 60;
    for (let ms = 0; ms < seconds * 1_000; ms += 100) {
      for (let client = 0; client < 200; client += 1) limiter.allow(`client-${client}`);
      clock.advance(100);
    }
    // Each client was idle before each of 600 calls.
    const removed = (await store.readings?.())?.swept;
    expect(removed).toBeLessThanOrEqual((200 * seconds * 1_000) / INTERVAL_MS + 200);
    expect(removed).toBeGreaterThan(200);
  });

  it("and again after the clock has gone back", () => {
    const { clock, limiter } = setUp();
    clock.advance(50_000);
    for (let i = 0; i < 1_000; i += 1) limiter.allow("steady");
    clock.advance(-50_000);
    for (let i = 0; i < 100; i += 1) limiter.allow(`key-${i}`);
    clock.advance(INTERVAL_MS);
    for (let i = 0; i < 1_000; i += 1) limiter.allow("steady");
    expect(limiter.size).toBe(1);
  });
});
