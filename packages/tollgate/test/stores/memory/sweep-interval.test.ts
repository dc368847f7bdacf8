import { createLimiter, memoryStore, type Observation, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_123;
const INTERVAL_MS = 10_000;

type Sweep = Extract<Observation, { type: "sweep" }>;

function setUp(maxKeys: number) {
  const clock = manualClock(START_MS);
  const sweeps: Sweep[] = [];
  const limiter = createLimiter({
    limits: [perSecond(1_000)],
    clock,
    store: memoryStore({ maxKeys }),
    observe: (one) => void (one.type === "sweep" && sweeps.push(one)),
  });
  return { clock, limiter, sweeps };
}

describe("a memory store drops idle keys at most once in an interval", () => {
  it("so that clients that are idle at each of their calls keep their slots", () => {
    const { clock, limiter, sweeps } = setUp(1_000_000);
    const seconds = 60;
    for (let ms = 0; ms < seconds * 1_000; ms += 100) {
      for (let client = 0; client < 200; client += 1) limiter.allow(`client-${client}`);
      clock.advance(100);
    }
    // Each client was idle before each of 600 calls.
    const removed = sweeps.reduce((total, sweep) => total + sweep.removed, 0);
    expect(removed).toBeLessThanOrEqual((200 * seconds * 1_000) / INTERVAL_MS + 200);
    expect(removed).toBeGreaterThan(200);
  });

  it("and notifies no more often while it is nearly full", () => {
    const { clock, limiter, sweeps } = setUp(1_000);
    let most = 0;
    for (let i = 0; i < 30_000; i += 1) {
      limiter.allow(`new-${i}`);
      clock.advance(1);
      most = Math.max(most, limiter.size);
    }
    expect(sweeps.length).toBeGreaterThan(1);
    expect(sweeps.length).toBeLessThanOrEqual(4);
    // It sweeps from three quarters on, in steps.
    expect(most).toBeLessThan(900);
  });

  it("and again after the clock has gone back", () => {
    const { clock, limiter } = setUp(1_000_000);
    clock.advance(50_000);
    for (let i = 0; i < 1_000; i += 1) limiter.allow("steady");
    clock.advance(-50_000);
    for (let i = 0; i < 100; i += 1) limiter.allow(`key-${i}`);
    clock.advance(INTERVAL_MS);
    for (let i = 0; i < 1_000; i += 1) limiter.allow("steady");
    expect(limiter.size).toBe(1);
  });
});
