import { createLimiter, perMinute } from "tollgate";
import { describe, expect, it } from "vitest";
import { BOUNDED_STORES } from "./full-stores.ts";

const START_MS = 1_790_000_000_123;

function countingClock() {
  const clock = {
    reads: 0,
    now(): number {
      clock.reads += 1;
      return START_MS;
    },
  };
  return clock;
}

describe.each(BOUNDED_STORES)("a new key in a full $kind store", ({ create }) => {
  it.each([1, 5])("reads the limiter's own clock once, although other limiters have the slots: %d", (others) => {
    const store = create({ maxKeys: 10 });
    const clock = countingClock();
    for (let i = 0; i < 300; i += 1) {
      createLimiter({ name: `other-${i % others}`, limits: [perMinute(1)], clock, store }).allow(`filler-${i}`);
    }
    const limiter = createLimiter({ name: "api", limits: [perMinute(1)], clock, store });
    limiter.allow("first");
    clock.reads = 0;
    limiter.allow("ann");
    expect(clock.reads).toBe(1);
  });
});
