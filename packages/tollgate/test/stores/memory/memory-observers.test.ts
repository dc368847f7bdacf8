import { createLimiter, memoryStore, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const START_MS = 1_790_000_000_123;

describe("who hears of the sweeps of a memory store", () => {
  it("lets an observer of sweeps throw without harm to the caller, and insert keys meanwhile", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({
      limits: [perSecond(1)],
      clock,
      observe: ({ type }) => {
        if (type !== "sweep") return;
        for (let i = 0; i < 5; i += 1) limiter.allow(`observer-${i}`);
        throw new RangeError("the log is full");
      },
    });
    limiter.allow("a");
    clock.advance(1_000);
    expect(limiter.sweep()).toBe(1);
    expect(limiter.size).toBe(5);
  });

  it("has its closed limiters hear of no more sweeps", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const heard: string[] = [];
    const make = (who: string) =>
      createLimiter({
        name: "api",
        limits: [perSecond(1)],
        clock,
        store,
        observe: ({ type }) => void heard.push(`${who} ${type}`),
      });
    const [gone, stays] = [make("gone"), make("stays")];
    gone.close();
    stays.allow("a");
    clock.advance(1_000);
    stays.sweep();
    expect(heard).toEqual(["stays decision", "stays sweep"]);
  });

  it("has a closed limiter hear of no more sweeps, though it goes on deciding", () => {
    const clock = manualClock(START_MS);
    const swept: string[] = [];
    const limiter = createLimiter({
      limits: [perSecond(1)],
      clock,
      observe: ({ type }) => void (type === "sweep" && swept.push(type)),
    });
    limiter.allow("a");
    limiter.close();
    for (let round = 0; round < 3; round += 1) {
      clock.advance(1_000);
      expect(limiter.sweep()).toBe(1);
      // So many calls that the empty table is let go, and made again for the next key.
      for (let i = 0; i < 200; i += 1) limiter.peek("b");
      limiter.allow("a");
    }
    expect(swept).toEqual([]);
  });
});
