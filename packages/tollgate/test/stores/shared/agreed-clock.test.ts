import { combine, createLimiter, perMinute, perSecond, systemClock } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { CLOCK_AT } from "../../../src/stores/shared/memory-layout.ts";
import { START_MS } from "../../start-ms.ts";
import { bufferOf, twoEnds } from "./two-ends.ts";

const YEAR_MS = 365.25 * 86_400_000;

describe("the clock of a shared store", () => {
  it("is the default clock of limiters", () => {
    const store = sharedStore({ maxKeys: 10 });
    const limiter = createLimiter({ name: "api", limits: [perMinute(2)], store });
    const byIt = createLimiter({ limits: [perMinute(2)], clock: store.clock });
    const byAnother = createLimiter({ limits: [perMinute(2)] });
    expect(combine(limiter, byIt).allow("ann")).toBe(true);
    expect(() => combine(limiter, byAnother)).toThrow(expect.objectContaining({ code: "ERR_COMBINE" }));
    const own = createLimiter({ name: "own", limits: [perMinute(2)], store, clock: systemClock });
    expect(combine(own, byAnother).allow("ann")).toBe(true);
  });

  it("agrees with the system clock and between two attachments", () => {
    const [store, end] = twoEnds({ maxKeys: 10 });
    const [before, here, there, after] = [Date.now(), store.clock.now(), end.clock.now(), Date.now()];
    // The clocks are measured, so they may differ slightly.
    expect(here).toBeGreaterThan(before - 1_000);
    expect(there).toBeLessThan(after + 1_000);
    expect(Math.abs(there - here)).toBeLessThan(100);
  });

  it.each([-7_200_000, 7_200_000])("follows the first thread, whose wall time was %d ms off", (offMs) => {
    const store = sharedStore({ maxKeys: 10 });
    const numbers = new Float64Array(bufferOf(store));
    numbers[CLOCK_AT / 2] = numbers[CLOCK_AT / 2]! + offMs;
    const end = sharedStore.attach(store.handle);
    expect(Math.abs(end.clock.now() - store.clock.now() - offMs)).toBeLessThan(1_000);
  });
});

describe("a limiter's clock over a shared store", () => {
  const cases = [["one cell", [perSecond(1)]] as const, ["two cells", [perSecond(1), perMinute(9)]] as const];

  it.each(cases)("may move up to 20 years from the first call's time: %s", (_name, limits) => {
    for (const direction of [1, -1]) {
      const clock = manualClock(START_MS);
      const [store, end] = twoEnds({ maxKeys: 10 });
      const here = createLimiter({ name: "api", limits, clock, store });
      const there = createLimiter({ name: "api", limits, clock, store: end });
      expect(here.allow("ann")).toBe(true);
      clock.advance(direction * 20 * YEAR_MS);
      expect(there.allow("ann")).toBe(direction === 1);
      clock.advance(direction);
      const message = expect.stringMatching(
        /^clock\.now\(\): expected a time within 20 years of the first call's, 1790000000123, for keys that threads share, got -?\d+$/,
      );
      const refusal = expect.objectContaining({ name: "TollgateError", code: "ERR_CLOCK", message });
      const handle = here.handle("bob");
      for (const limiter of [here, there]) {
        expect(() => limiter.allow("ann")).toThrow(refusal);
        expect(() => limiter.consume("bob")).toThrow(refusal);
        expect(() => limiter.peek("ann")).toThrow(refusal);
        expect(() => limiter.sweep()).toThrow(refusal);
        expect(() => handle.allow()).toThrow(refusal);
      }
      expect(store.size).toBe(1);
      clock.advance(-direction * (20 * YEAR_MS + 1));
      expect([here.allow("ann"), there.allow("bob")]).toEqual([false, true]);
    }
  });
});

describe("several limiters over one shared store", () => {
  it("cannot be combined across two attachments without a common clock", () => {
    const [store, end] = twoEnds({ maxKeys: 100 });
    const limiters = [store, end].map((one, i) => createLimiter({ name: `${i}`, limits: [perMinute(3)], store: one }));
    expect(() => combine(limiters[0]!, limiters[1]!)).toThrow(expect.objectContaining({ code: "ERR_COMBINE" }));
  });
});
