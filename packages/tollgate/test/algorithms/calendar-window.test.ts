import {
  type CalendarWindowOptions,
  createLimiter,
  type DeniedError,
  fixedWindow,
  type Limit,
  memoryStore,
  TollgateError,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { EVERY_STORE, limiterOver } from "../limiter/every-store.ts";

type Window = CalendarWindowOptions["window"];

/** A moment in a window of a zone, and when that window begins and ends. */
const WINDOWS: readonly (readonly [Window, string, at: string, from: string, until: string])[] = [
  ["day", "UTC", "2026-06-15T12:00:00Z", "2026-06-15T00:00:00Z", "2026-06-16T00:00:00Z"],
  ["day", "Asia/Kolkata", "2026-06-15T18:29:59Z", "2026-06-14T18:30:00Z", "2026-06-15T18:30:00Z"],
  // The clocks are changed in the night, and the days have 23 and 25 hours.
  ["day", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
  ["day", "America/New_York", "2026-11-01T12:00:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"],
  // Half an hour is added.
  ["day", "Australia/Lord_Howe", "2026-10-03T20:00:00Z", "2026-10-03T13:30:00Z", "2026-10-04T13:00:00Z"],
  // The clocks go from midnight to 1:00, so the day begins at 1:00.
  ["day", "America/Sao_Paulo", "2018-11-04T04:00:00Z", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"],
  ["day", "Africa/Cairo", "2014-05-16T10:00:00Z", "2014-05-15T22:00:00Z", "2014-05-16T21:00:00Z"],
  ["day", "Asia/Beirut", "2022-03-27T10:00:00Z", "2022-03-26T22:00:00Z", "2022-03-27T21:00:00Z"],
  // At midnight the clocks go back to 23:00: that hour is still the day before.
  ["day", "America/Sao_Paulo", "2018-02-18T02:30:00Z", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"],
  // At 0:01 they go back to 23:01: the day has begun.
  ["day", "America/St_Johns", "2010-11-07T03:00:00Z", "2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"],
  // 2011-12-30 was left out.
  ["day", "Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"],
  ["day", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"],
  ["week", "UTC", "2026-03-01T23:59:59Z", "2026-02-23T00:00:00Z", "2026-03-02T00:00:00Z"],
  ["week", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z"],
  ["week", "Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-26T10:00:00Z", "2012-01-01T10:00:00Z"],
  ["month", "UTC", "2028-02-29T12:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z"],
  ["month", "Europe/Berlin", "2026-03-31T21:59:59Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"],
  ["month", "America/New_York", "2027-01-01T04:59:59Z", "2026-12-01T05:00:00Z", "2027-01-01T05:00:00Z"],
  ["year", "Asia/Kolkata", "2026-12-31T18:29:59Z", "2025-12-31T18:30:00Z", "2026-12-31T18:30:00Z"],
  ["year", "UTC", "1969-07-20T20:17:40Z", "1969-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
];

const planOf = (window: Window, timeZone: string, limit = 3): Limit => fixedWindow({ limit, window, timeZone });

describe("a window by the calendar", () => {
  it.each(WINDOWS)("is the %s of %s at %s: from %s until %s", (window, timeZone, at, from, until) => {
    const clock = manualClock(Date.parse(from));
    const limiter = createLimiter({ limits: [planOf(window, timeZone)], clock });
    const lengthMs = Date.parse(until) - Date.parse(from);
    expect(limiter.consume("first moment")).toMatchObject({ limitRemaining: 2, resetMs: lengthMs });
    clock.advance(-0.001);
    expect(limiter.consume("the moment before")).toMatchObject({ limitRemaining: 2, resetMs: 0.001 });
    clock.set(Date.parse(at));
    expect(limiter.consume("within", 3).resetMs).toBe(Date.parse(until) - Date.parse(at));
    expect(limiter.consume("within").retryAfterMs).toBe(Date.parse(until) - Date.parse(at));
    clock.set(Date.parse(until));
    clock.advance(-0.001);
    expect(limiter.explain("within")).toMatchObject([{ used: 3, retryAfterMs: 0.001, resetMs: 0.001 }]);
    clock.advance(0.001);
    expect(limiter.consume("within", 3).allowed).toBe(true);
  });

  it.each(EVERY_STORE)("is the same over %s, whose clock jumps by years and back", async (_name, storeOf) => {
    const clock = manualClock(Date.parse("2026-03-31T21:59:59.999Z"));
    const limits = [planOf("month", "Europe/Berlin"), planOf("day", "America/New_York", 2)];
    const limiter = limiterOver(storeOf(), { name: "plan", limits, clock });
    expect([await limiter.allow("ann", 2), await limiter.allow("ann")]).toEqual([true, false]);
    clock.advance(1);
    // The month has ended there, the day has not ended here.
    expect(await limiter.consume("ann")).toMatchObject({ allowed: false, retryAfterMs: 6 * 3_600_000 });
    clock.advance(6 * 3_600_000);
    const decision = await limiter.consume("ann", 2);
    expect(decision.allowed).toBe(true);
    await limiter.refund("ann", 1, decision);
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([1, 1]);
    for (const date of ["2019-02-28T12:00:00Z", "2031-12-31T12:00:00Z", "2026-08-01T12:00:00Z"]) {
      clock.set(Date.parse(date));
      const [month, day] = await limiter.explain(date);
      expect([month!.used, day!.used]).toEqual([0, 0]);
      expect(await limiter.allow(date, 2)).toBe(true);
      expect((await limiter.consume(date)).retryAfterMs).toBeLessThan(86_400_000);
    }
  });

  it("gives back a decision in its own window only, and keeps what a key has used when its limit changes", () => {
    const clock = manualClock(Date.parse("2026-01-31T22:59:59Z"));
    const of = (limit: number) =>
      createLimiter({
        name: "plan",
        limits: [fixedWindow({ name: "monthly", limit, window: "month", timeZone: "Europe/Berlin" })],
        clock,
        store,
      });
    const store = memoryStore();
    const [small, large] = [of(5), of(10)];
    const decision = large.consume("ann", 4);
    expect(small.peek("ann").limitRemaining).toBe(0);
    clock.advance(1_000);
    large.consume("ann", 3);
    large.refund("ann", 4, decision);
    expect(small.explain("ann")[0]!.used).toBe(3);
  });

  it("counts apart from windows of another zone or length, although the name is the same", () => {
    const clock = manualClock(Date.parse("2026-01-15T12:00:00Z"));
    const store = memoryStore();
    const of = (window: Window, timeZone: string) =>
      createLimiter({
        ...{ name: "plan", clock, store, onChange: "carry-over" },
        limits: [fixedWindow({ name: "plan", limit: 5, window, timeZone })],
      });
    of("month", "Europe/Berlin").consume("ann", 3);
    const used = [of("month", "Europe/Berlin"), of("month", "UTC"), of("day", "Europe/Berlin")].map(
      (limiter) => limiter.explain("ann")[0]!.used,
    );
    expect(used).toEqual([3, 0, 0]);
  });

  it("has waits end with it", async () => {
    const clock = manualClock(Date.parse("2026-03-31T21:59:00Z"));
    const limiter = createLimiter({ limits: [planOf("month", "Europe/Berlin", 1)], clock });
    await limiter.wait("ann");
    const next = limiter.wait("ann", 1, { maxWait: "1m" });
    // The one after that would wait for all of April.
    const late = await limiter
      .wait("ann", 1, { maxWait: "29d" })
      .catch((error: unknown) => (error as DeniedError).decision.retryAfterMs);
    expect(late).toBe(60_000 + 30 * 86_400_000);
    clock.advance(60_000);
    expect((await next).allowed).toBe(true);
  });
});

describe("the options of a window by the calendar", () => {
  it("make its name and its identity", () => {
    const berlin = fixedWindow({ limit: 3, window: "month", timeZone: "Europe/Berlin" });
    expect(berlin).toMatchObject({
      ...{ algorithm: "calendar-window", name: "3-each-month-in-Europe/Berlin", capacity: 3 },
      ...{ window: "month", timeZone: "Europe/Berlin", unit: "requests", mode: "enforce" },
    });
    const utc = fixedWindow({ limit: 3, window: "week" });
    expect([utc.name, utc.timeZone]).toEqual(["3-each-week", "UTC"]);
    expect(utc.fingerprint).not.toBe(fixedWindow({ limit: 3, window: "week", timeZone: "Asia/Kolkata" }).fingerprint);
  });

  it.each([
    [
      { window: "month", timeZone: "Europe/Berlim" },
      'timeZone: expected a zone that this runtime knows, such as "UTC" or "Europe/Berlin", got "Europe/Berlim"',
    ],
    [{ window: "month", timeZone: 3 }, "timeZone: expected a zone that this runtime knows"],
    [{ window: "month", anchor: "first-use" }, 'anchor: expected none beside window: "month", got "first-use"'],
    [
      { window: "30d", timeZone: "UTC" },
      'timeZone: expected none, or window: "day", "week", "month" or "year", got "UTC"',
    ],
    [{ window: "fortnight" }, 'window: expected milliseconds or text such as "250ms"'],
  ])("are refused with what is expected: %o", (options, message) => {
    const made = (): unknown => fixedWindow({ limit: 1, ...options } as never);
    expect(made).toThrow(TollgateError);
    expect(made).toThrow(message);
  });

  it("need no Intl for UTC, and say that a runtime without Intl knows no other zone", () => {
    vi.stubGlobal("Intl", undefined);
    const clock = manualClock(Date.parse("2026-02-03T12:00:00Z"));
    const limiter = createLimiter({ limits: [fixedWindow({ limit: 1, window: "month" })], clock });
    expect(limiter.consume("ann").resetMs).toBe(25.5 * 86_400_000);
    expect(() => fixedWindow({ limit: 1, window: "month", timeZone: "Europe/Berlin" })).toThrow(
      'got "Europe/Berlin"; it has no Intl, so it knows "UTC" alone',
    );
  });
});
