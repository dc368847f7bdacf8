import { combine, createLimiter, perMinute, perSecond } from "tollgate";
import { describe, expect, it } from "vitest";
import { setUp, used } from "./set-up.ts";

describe("a cost", () => {
  const llm = () => setUp([perMinute(60), perMinute(100_000, { unit: "tokens", burst: 20_000 })]);

  it("that is a number counts in the only unit", () => {
    const { limiter } = setUp([perMinute(100, { unit: "tokens" }), perSecond(50, { unit: "tokens" })]);
    limiter.allow("a", 30);
    expect(used(limiter)).toEqual([30, 30]);
  });

  it("that is a number means requests if there are several units", () => {
    const { limiter } = llm();
    limiter.allow("a", 2);
    limiter.consume("a", 3);
    expect(used(limiter)).toEqual([5, 0]);
  });

  it("in an unknown unit throws for fixed limits, and is ignored for chosen limits and combinations", () => {
    const { limiter, clock } = llm();
    const odd = { requests: 1, bytes: 5 };
    expect(() => limiter.consume("a", odd)).toThrow(
      expect.objectContaining({
        code: "ERR_COST",
        message: 'cost: expected units among "requests", "tokens", got "bytes"',
      }),
    );
    expect(used(limiter)).toEqual([0, 0]);
    expect(setUp(() => [perSecond(1)]).limiter.allow("a", odd)).toBe(true);
    const other = createLimiter({ name: "other", limits: [perSecond(5)], clock });
    expect(combine(limiter, other).allow("a", odd)).toBe(true);
    expect(used(limiter)).toEqual([1, 0]);
  });

  it("that is a number throws if there are several units and no requests", () => {
    const { limiter } = setUp([perSecond(5, { unit: "tokens" }), perSecond(5, { unit: "bytes" })]);
    const message =
      'cost: expected one per unit, such as { tokens: 1 }, because this limiter counts "tokens", "bytes" and no requests, got 1';
    expect(() => limiter.allow("a")).toThrow(expect.objectContaining({ code: "ERR_COST", message }));
    expect(limiter.allow("a", { tokens: 1, bytes: 2 })).toBe(true);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, [], true])(
    "of %s throws before any state changes",
    (cost) => {
      const { limiter } = setUp([perSecond(5)]);
      for (const verb of ["allow", "consume", "peek", "explain", "charge", "refund"] as const) {
        const attempts = [
          () => limiter[verb]("a", cost as number),
          () => limiter[verb]("a", { requests: cost as number }),
        ];
        for (const attempt of attempts) {
          expect(attempt).toThrow(
            expect.objectContaining({ code: "ERR_COST", message: expect.stringMatching(/: expected .+, got /) }),
          );
        }
      }
      expect(limiter.size).toBe(0);
      expect(limiter.allow("a", 5)).toBe(true);
    },
  );

  it.each<[string, () => unknown]>([
    ["a Map", () => new Map([["requests", 99]])],
    ["a Number object", () => Object(99)],
    ["a Date", () => new Date(0)],
    ["an object that inherits its units", () => Object.create({ requests: 99 })],
    [
      "an object of a class",
      () =>
        new (class {
          readonly requests = 99;
        })(),
    ],
    ["a function", () => () => 5],
    ["a bigint", () => 5n],
    ["undefined, where it is required", () => undefined],
  ])("that is %s throws", (_name, cost) => {
    const { limiter } = setUp([perSecond(5)]);
    expect(() => limiter.charge("a", cost() as number)).toThrow(
      expect.objectContaining({
        code: "ERR_COST",
        message: expect.stringMatching(/^cost: expected a whole number, or one per unit, got /),
      }),
    );
    expect(limiter.size).toBe(0);
  });

  it("for each unit is read once, and the value that was checked counts", () => {
    const { limiter } = setUp([perSecond(5)]);
    let reads = 0;
    const shifty = {
      get requests() {
        reads += 1;
        return reads === 1 ? 1 : -100;
      },
    };
    limiter.charge("a", shifty);
    limiter.charge("a", Object.defineProperty({}, "requests", { value: -5 }));
    expect([reads, used(limiter)]).toEqual([1, [1]]);
  });

  it("for each unit ignores inherited properties", () => {
    const { limiter } = setUp([perSecond(5, { unit: "constructor" })]);
    expect(limiter.consume("a", {}).remaining).toBe(5);
    expect(limiter.consume("a", { constructor: 2 }).remaining).toBe(3);
  });
});
