import { createLimiter, perMinute, perSecond } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";

function setUp(maxKeys: number) {
  const clock = manualClock(START_MS);
  const store = tableStore({ maxKeys, overflow: "deny" });
  const make = (name: string) => createLimiter({ name, limits: [perMinute(1)], clock, store });
  return { clock, store, make };
}

/** The least processor time of several runs, in milliseconds. */
function leastCpuMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

function keys(count: number, prefix = "key"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

describe("a table that is cleared", () => {
  it("forgets the limiter's keys at once, whether by name, by handle or in a batch, and no other limiter's", () => {
    const { store, make } = setUp(1_000);
    const [limiter, twin, other] = [make("api"), make("api"), make("other")];
    const handle = limiter.handle("key-7");
    const many = keys(300);
    for (let round = 0; round < 4; round += 1) {
      expect(handle.allow()).toBe(true);
      // The front cache has some keys from the second round on.
      expect(many.filter((key) => limiter.allow(key))).toHaveLength(299);
      expect(many.filter((key) => twin.allow(key))).toEqual([]);
      expect(many.filter((key) => other.allow(key))).toHaveLength(round === 0 ? 300 : 0);
      expect([limiter.size, twin.size, other.size, store.size]).toEqual([300, 300, 300, 600]);
      (round % 2 === 0 ? limiter : twin).clear();
      expect([limiter.size, twin.size, other.size, store.size]).toEqual([0, 0, 300, 300]);
      expect(twin.allowMany(many, new Uint8Array(300))).toBe(300);
      limiter.clear();
    }
  });

  it("gives all slots of the cleared keys to new ones", () => {
    const { store, make } = setUp(1);
    const [limiter, other] = [make("api"), make("other")];
    for (let round = 0; round < 200; round += 1) {
      for (const key of keys(32, `${round}`)) expect((round % 3 === 0 ? other : limiter).allow(key)).toBe(true);
      expect([limiter.allow("one more"), store.size]).toEqual([false, 32]);
      limiter.clear();
      other.clear();
    }
  });

  it("takes no time for its empty slots, nor does a sweep", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1)], clock, store: tableStore({ maxKeys: 10_000_000 }) });
    const cpuMs = leastCpuMs(() => {
      for (const key of keys(100)) limiter.allow(key);
      expect(limiter.sweep()).toBe(0);
      limiter.clear();
    });
    // Looking at 22 million slots takes 150 ms or more.
    expect(cpuMs).toBeLessThan(30);
  });
});
