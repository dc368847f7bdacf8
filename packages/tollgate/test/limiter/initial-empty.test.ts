import { combine, createLimiter, fixedWindow, perSecond, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS, setUp } from "./set-up.ts";

describe("a bucket with initial: empty", () => {
  const empty = tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty" });

  it("records nothing for peek and explain", () => {
    const { clock, limiter } = setUp([empty]);
    limiter.peek("a");
    limiter.explain("a");
    clock.advance(2_000);
    expect(limiter.allow("a")).toBe(false);
  });

  it("starts to fill when another limiter of a combination denies", () => {
    const clock = manualClock(START_MS);
    const filling = createLimiter({ name: "filling", limits: [empty], clock });
    const shut = createLimiter({ name: "shut", limits: [perSecond(1)], clock });
    shut.allow("a");
    combine(filling, shut).allow("a", 0);
    combine(filling, shut).allow("a");
    clock.advance(500);
    expect(combine(filling, shut).allow("a")).toBe(false);
    clock.advance(500);
    expect(combine(filling, shut).allow("a")).toBe(true);
  });

  it("starts to fill when it conforms and another limiter of a combination denies", () => {
    const clock = manualClock(START_MS);
    const filling = createLimiter({
      name: "filling",
      limits: [perSecond(4, { unit: "tokens", initial: "empty" })],
      clock,
    });
    const shut = createLimiter({ name: "shut", limits: [perSecond(1)], clock });
    shut.allow("a");
    const both = combine(filling, shut);
    expect(both.allow("a", { requests: 1, tokens: 0 })).toBe(false);
    clock.advance(500);
    expect(filling.explain("a")[0]?.used).toBe(2);
  });

  it("is not empty again while a call waits for another limit", () => {
    const { clock, limiter } = setUp([empty, fixedWindow({ limit: 1, window: "1h", anchor: "first-use" })]);
    limiter.allow("a");
    clock.advance(1_000);
    expect(limiter.allow("a")).toBe(true);
    const denied = limiter.consume("a");
    expect(denied).toMatchObject({ allowed: false, retryAfterMs: 3_600_000 });
    clock.advance(3_600_000);
    expect(limiter.sweep()).toBe(0);
    expect(limiter.allow("a")).toBe(true);
    clock.advance(3_600_000 + 60_000);
    expect(limiter.allow("a")).toBe(false);
  });

  it("drops a key only after its idle time, and starts empty again", () => {
    const { clock, limiter } = setUp([empty]);
    limiter.allow("a");
    clock.advance(4_000 + 59_999.999);
    expect(limiter.sweep()).toBe(0);
    expect(limiter.peek("a", 4).allowed).toBe(true);
    clock.advance(0.001);
    expect(limiter.peek("a", 4).allowed).toBe(false);
    expect(limiter.sweep()).toBe(1);
  });
});
