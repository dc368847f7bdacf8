import { combine, createLimiter, fixedWindow, perSecond, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS, setUp, used } from "./set-up.ts";

describe("initial: empty", () => {
  const empty = tokenBucket({ capacity: 4, refill: 1, per: "1s", initial: "empty" });

  it.each([["allow"], ["consume"]] as const)("the first touch by %s is recorded though denied", (verb) => {
    const { clock, limiter } = setUp([empty, perSecond(10)]);
    limiter[verb]("a");
    expect(limiter.size).toBe(1);
    clock.advance(2_000);
    expect(used(limiter)).toEqual([2, 0]);
    expect(limiter.allow("a", 2)).toBe(true);
  });

  it("looking records nothing", () => {
    const { clock, limiter } = setUp([empty]);
    limiter.peek("a");
    limiter.explain("a");
    clock.advance(2_000);
    expect(limiter.allow("a")).toBe(false);
  });

  it("in a combination a denial by another limiter starts the fill", () => {
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

  it("in a combination that always conforms itself, too", () => {
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

  it("is not empty again while another limit is waited for", () => {
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

  it("an idle key is dropped only after its idle time, and starts empty again", () => {
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
