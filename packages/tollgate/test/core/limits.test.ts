import {
  createLimiter,
  fixedWindow,
  type Limit,
  perDay,
  perHour,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { describe, expect, it } from "vitest";

const bucket = { capacity: 1, refill: 1, per: "1s" } as const;

describe("limits", () => {
  it("have all their options, with the defaults filled in", () => {
    expect(tokenBucket({ capacity: 20, refill: 10, per: "1m", name: "api", unit: "tokens", mode: "shadow" })).toEqual({
      algorithm: "token-bucket",
      name: "api",
      unit: "tokens",
      mode: "shadow",
      capacity: 20,
      refill: 10,
      perMs: 60_000,
      initial: "full",
      idleTtlMs: 0,
      fingerprint: "token-bucket:20:10:60000000:full:0:tokens",
    });
    expect(slidingWindow({ limit: 100, window: "1m" })).toMatchObject({
      capacity: 100,
      windowMs: 60_000,
      resolutionMs: 937.5,
    });
    expect(slidingWindow({ limit: 64, window: "1m" }).resolutionMs).toBe(0);
    expect(slidingWindow({ limit: 65, window: "1m", resolution: 0 }).resolutionMs).toBe(0);
    expect(slidingWindow({ limit: 65, window: "1m", resolution: "0s" }).resolutionMs).toBe(0);
    expect(slidingWindow({ limit: 4_096, window: "14d", resolution: 0 }).resolutionMs).toBe(0);
    expect(slidingWindow({ limit: 20_000, window: "1h", resolution: "878.907ms" }).resolutionMs).toBe(878.907);
    expect(slidingWindow({ limit: 20_000, window: 4.096, resolution: 0 }).resolutionMs).toBe(0);
    expect(fixedWindow({ limit: 3, window: "1h" })).toMatchObject({
      capacity: 3,
      windowMs: 3_600_000,
      anchor: "clock",
    });
  });

  it("per period refill their count in the period, and have it as capacity by default", () => {
    const periods = [perSecond(7), perMinute(7), perHour(7), perDay(7, { burst: 3 })];
    expect(periods.map(({ capacity, refill, perMs }) => [capacity, refill, perMs])).toEqual([
      [7, 7, 1_000],
      [7, 7, 60_000],
      [7, 7, 3_600_000],
      [3, 7, 86_400_000],
    ]);
  });

  it.each<[string, Limit, Limit]>([
    ["0.5 a second", perSecond(0.5), tokenBucket({ capacity: 1, refill: 1, per: "2s" })],
    ["1.5 a second", perSecond(1.5), tokenBucket({ capacity: 2, refill: 3, per: "2s" })],
    ["0.1 a minute", perMinute(0.1, { burst: 3 }), tokenBucket({ capacity: 3, refill: 1, per: "10m" })],
    ["0.000001 a second", perSecond(0.000_001), tokenBucket({ capacity: 1, refill: 1, per: "11d13h46m40s" })],
    ["2.000001 a second", perSecond(2.000_001), tokenBucket({ capacity: 3, refill: 2_000_001, per: "11d13h46m40s" })],
    ["0.001 a day", perDay(0.001), tokenBucket({ capacity: 1, refill: 1, per: "1000d" })],
    [
      "0.3 in 250 ms",
      tokenBucket({ capacity: 5, refill: 0.3, per: 250 }),
      tokenBucket({ capacity: 5, refill: 3, per: "2s500ms" }),
    ],
  ])("with decimals in a rate are those with whole units: %s", (_rate, decimal, whole) => {
    expect(decimal).toEqual(whole);
  });

  it("that start empty forget a key after ten fill times, at least a minute", () => {
    expect(tokenBucket({ ...bucket, initial: "empty" }).idleTtlMs).toBe(60_000);
    expect(tokenBucket({ ...bucket, capacity: 30, initial: "empty" }).idleTtlMs).toBe(300_000);
    expect(perDay(1, { burst: 1_000_000, initial: "empty" }).idleTtlMs).toBe(3_652.5 * 86_400_000);
    expect(perSecond(1, { initial: "empty", idleTtl: "5s" }).idleTtlMs).toBe(5_000);
  });

  it("are frozen, and copies of them are refused", () => {
    const limit = perSecond(1);
    expect(Object.isFrozen(limit)).toBe(true);
    expect(() => createLimiter({ limits: [{ ...limit, capacity: 1_000 }] })).toThrow(
      /^limits: expected limits made by/,
    );
  });

  it("differ in name and fingerprint when they differ in a number, a choice or the unit", () => {
    const different: Limit[] = [
      perSecond(1),
      perSecond(2),
      perMinute(1),
      perSecond(1, { burst: 2 }),
      perSecond(1, { unit: "tokens" }),
      perSecond(1, { initial: "empty" }),
      perSecond(1, { initial: "empty", idleTtl: "2m" }),
      slidingWindow({ limit: 1, window: "1s" }),
      slidingWindow({ limit: 1, window: "1s", resolution: "1ms" }),
      slidingWindow({ limit: 1, window: "2s" }),
      slidingWindow({ limit: 100, window: "1s", resolution: 0 }),
      slidingWindow({ limit: 100, window: "1s" }),
      fixedWindow({ limit: 1, window: "1s" }),
      fixedWindow({ limit: 1, window: "1s", anchor: "first-use" }),
    ];
    expect(new Set(different.map(({ name }) => name)).size).toBe(different.length);
    expect(new Set(different.map(({ fingerprint }) => fingerprint)).size).toBe(different.length);
  });

  it("have a fingerprint that ignores the mode and the name", () => {
    const { fingerprint } = perSecond(1);
    expect(perSecond(1, { mode: "shadow", name: "watched" }).fingerprint).toBe(fingerprint);
    expect(tokenBucket({ capacity: 1, refill: 1, per: 1_000 }).fingerprint).toBe(fingerprint);
  });
});

const make = <O>(factory: (options: O) => unknown, options: unknown) => factory(options as O);
const NAME = "printable ASCII characters without double quotes, backslashes and braces";

describe("the options of limits", () => {
  it.each<[string, string, () => unknown]>([
    ...[Number.POSITIVE_INFINITY, -0.5, 0, 0.1 + 0.2, 0.000_000_1, 5n].map((count): [string, string, () => unknown] => [
      `count: expected a positive number of at most six decimal places, got ${typeof count === "bigint" ? "5n" : count}`,
      "ERR_LIMIT",
      () => make(perSecond, count),
    ]),
    [
      "refill: expected a rate with whole units in 10 years, got 33.333333 in 1d; use fewer decimal places",
      "ERR_LIMIT",
      () => perDay(33.333_333),
    ],
    ['idleTtl: expected only with initial: "empty", got "1m"', "ERR_LIMIT", () => perSecond(1, { idleTtl: "1m" })],
    [
      'resolution: expected at most the window, got "2s"',
      "ERR_LIMIT",
      () => slidingWindow({ limit: 1, window: "1s", resolution: "2s" }),
    ],
    [
      'resolution: expected at least "878.907ms" for a limit of 20000 in "1h" (a key keeps at most 4,096 groups), got "500ms"',
      "ERR_LIMIT",
      () => slidingWindow({ limit: 20_000, window: "1h", resolution: "500ms" }),
    ],
    [
      'resolution: expected at least "4m55s312.5ms" for a limit of 4097 in "14d" (a key keeps at most 4,096 groups), got 0',
      "ERR_LIMIT",
      () => slidingWindow({ limit: 4_097, window: "14d", resolution: 0 }),
    ],
    [
      "refill: expected at most 9 units per microsecond, got 9001 in 1000 µs; count in larger units (kilobytes instead of bytes)",
      "ERR_LIMIT",
      () => tokenBucket({ capacity: 1, refill: 9_001, per: "1ms" }),
    ],
    [
      "capacity: expected at most 2251799577003248 units at this rate, got 4503599627370496; count in larger units",
      "ERR_LIMIT",
      () => perSecond(1, { burst: 2 ** 52 }),
    ],
    [`limit name: expected 1 to 128 ${NAME}, got "a{b}"`, "ERR_NAME", () => perSecond(1, { name: "a{b}" })],
    [
      `limit name: expected 1 to 128 ${NAME}, got "${"n".repeat(79)}…`,
      "ERR_NAME",
      () => perSecond(1, { name: "n".repeat(129) }),
    ],
  ])("are refused: %s", (message, code, attempt) => {
    expect(attempt).toThrow(expect.objectContaining({ code, message, name: "TollgateError" }));
  });

  it("may be as large and as fast as documented", () => {
    expect(tokenBucket({ capacity: 1_000_000, refill: 9_000, per: "1ms" }).capacity).toBe(1_000_000);
    expect(perDay(1, { burst: 1_000_000 }).capacity).toBe(1_000_000);
    expect(perSecond(1, { burst: 2_251_799_577_003_248 }).capacity).toBe(2_251_799_577_003_248);
  });
});
