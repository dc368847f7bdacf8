import { concurrency, createLimiter } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const TTL_MS = 30_000;

describe("a place that was taken at the epoch, where manual clocks begin", () => {
  it("is renewed, and lost when its time is over", () => {
    const clock = manualClock();
    const limiter = createLimiter({ limits: [concurrency({ max: 2, ttl: TTL_MS })], clock });
    const [kept, lost] = [limiter.reserve("ann"), limiter.reserve("ann")];
    clock.advance(TTL_MS - 1);
    expect([kept.renew(), limiter.explain("ann")[0]?.used]).toEqual([true, 2]);
    clock.advance(1);
    expect([limiter.explain("ann")[0]?.used, lost.renew()]).toEqual([1, false]);
    kept.cancel();
    expect(limiter.explain("ann")[0]?.used).toBe(0);
  });
});
