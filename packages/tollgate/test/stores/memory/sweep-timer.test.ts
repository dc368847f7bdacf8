import { createLimiter, memoryStore, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";

const KEYS = 30_000;

beforeEach(() => void vi.useFakeTimers());
function setUp() {
  const clock = manualClock(START_MS);
  const store = memoryStore({ sweepInterval: "1s" });
  const make = (name: string) => createLimiter({ name, limits: [perSecond(1)], clock, store });
  const [first, second] = [make("first"), make("second")];
  for (let i = 0; i < KEYS; i += 1) {
    first.allow(`key-${i}`);
    second.allow(`key-${i}`);
  }
  return { clock, store, first, second };
}

describe("the timer of a memory store", () => {
  it("sweeps a large store in slices, with turns of the event loop between them", () => {
    const { clock, store } = setUp();
    clock.advance(1_000);
    let most = 0;
    vi.advanceTimersByTime(999);
    for (let ms = 0; ms < 100; ms += 1) {
      const before = store.size;
      vi.advanceTimersByTime(1);
      most = Math.max(most, before - store.size);
    }
    expect(store.size).toBe(0);
    expect(most).toBeLessThan(5_000);
    store.close();
  });

  it("stops in the middle of a sweep when the store is closed", () => {
    const { clock, store } = setUp();
    clock.advance(1_000);
    vi.advanceTimersByTime(1_000);
    store.close();
    const { size } = store;
    vi.advanceTimersByTime(10_000);
    expect(store.size).toBe(size);
    expect(size).toBeGreaterThan(KEYS);
    expect(vi.getTimerCount()).toBe(0);
  });
});
