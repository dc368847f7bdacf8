import { type Duration, fixedWindow, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";

const perMs = (per: Duration) => tokenBucket({ capacity: 1, refill: 1, per }).perMs;

describe("durations", () => {
  it.each<[Duration, number]>([
    [250, 250],
    [0.5, 0.5],
    [1.001, 1.001],
    ["250ms", 250],
    ["0.5ms", 0.5],
    ["10s", 10_000],
    ["1.1s", 1_100],
    ["1m", 60_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1h30m", 5_400_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["3652d", 315_532_800_000],
    ["1w", 604_800_000],
    ["2w3d", 1_468_800_000],
    ["1.5w", 907_200_000],
    ["1w1d1h1m1s1ms", 694_861_001],
    ["521w", 315_100_800_000],
  ])("of %s are %d ms", (duration, ms) => {
    expect(perMs(duration)).toBe(ms);
  });

  it.each<[unknown]>([
    [0],
    [-1],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [0.0005],
    [0.00123],
    [1e15],
    [""],
    ["0s"],
    ["10"],
    ["10 s"],
    ["10sec"],
    ["-1s"],
    ["1e3ms"],
    ["30m1h"],
    ["1m1m"],
    ["0.0001ms"],
    ["4000d"],
    ["0w"],
    ["522w"],
    ["3d2w"],
    ["1w1w"],
    ["1wk"],
    ["9999999999999999d"],
    [undefined],
    [null],
    [{}],
    [["1s"]],
    [10n],
  ])("of %s are refused", (duration) => {
    expect(() => perMs(duration as Duration)).toThrow(expect.objectContaining({ code: "ERR_DURATION" }));
    expect(() => perMs(duration as Duration)).toThrow(
      /^per: expected milliseconds or text such as "250ms", "10s", "1h30m" \(whole microseconds, above 0, at most 10 years\), got /,
    );
  });

  it("of weeks and of as many days make equal limits, so no key starts anew", () => {
    const [weeks, days] = [fixedWindow({ limit: 1, window: "2w" }), fixedWindow({ limit: 1, window: "14d" })];
    expect(weeks).toEqual(days);
    expect(weeks.name).toBe("1-each-14d");
    expect(slidingWindow({ limit: 100, window: "1w", resolution: "0w" }).resolutionMs).toBe(0);
  });

  it("have the name of their option in errors", () => {
    expect(() => fixedWindow({ limit: 1, window: "1 s" })).toThrow(/^window: expected .+, got "1 s"$/);
  });

  it("with a typo do not compile", () => {
    // @ts-expect-error a unit that does not exist
    expect(() => perMs("10sec")).toThrow();
    // @ts-expect-error parts in the wrong order
    expect(() => perMs("30m1h")).toThrow();
    // @ts-expect-error weeks after days
    expect(() => perMs("3d2w")).toThrow();
    // @ts-expect-error no unit
    expect(() => perMs("10")).toThrow();
  });
});
