import { createLimiter, fixedWindow, perDay, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { useRedis } from "./kit/use-redis.ts";
import { Random } from "./script/kit/random.ts";

const inUse = useRedis();

describe("windows by the calendar", () => {
  const calendar = [
    fixedWindow({ limit: 5, window: "day", timeZone: "Europe/Berlin" }),
    fixedWindow({ limit: 9, window: "month", timeZone: "America/New_York" }),
  ];

  it.each(["2024-01-31T00:00:00Z", "2030-06-15T00:00:00Z", "1980-01-01T00:00:00Z"])(
    "are those of the server's time, although the node's clock says %s: the server is asked once more, once",
    async (date) => {
      const clock = manualClock(Date.parse(date));
      const limiter = createLimiter({ name: "plan", limits: calendar, store: inUse.redis.store(), clock });
      const memory = createLimiter({ limits: calendar });
      expect(await inUse.redis.callsOf(() => limiter.allow("ann"))).toBe(2);
      expect(await inUse.redis.callsOf(() => limiter.allow("bob"))).toBe(1);
      memory.allow("ann");
      const [asked, expected] = [await limiter.explain("ann"), memory.explain("ann")];
      for (const [i, { resetMs, ...status }] of asked.entries()) {
        const { resetMs: expectedMs, ...others } = expected[i]!;
        expect({ ...status, limiter: "" }).toEqual({ ...others, limiter: "" });
        expect(Math.abs(resetMs - expectedMs)).toBeLessThan(20_000);
      }
    },
  );

  it("are asked for once more for all calls of a batch, of which no call is counted twice", async () => {
    const clock = manualClock(0);
    const store = inUse.redis.store();
    const limiter = createLimiter({ name: "plan", limits: calendar, store, clock });
    const others = createLimiter({ name: "other", limits: [perDay(100)], store, clock });
    const asked = Array.from({ length: 20 }, (_, i) => [limiter.allow(`user ${i % 3}`), others.allow("all")]).flat();
    const allowed = (await Promise.all(asked)).filter(Boolean).length;
    expect(allowed).toBe(3 * 5 + 20);
    expect((await limiter.explain("user 0")).map(({ used }) => used)).toEqual([5, 5]);
    expect((await others.explain("all"))[0]!.used).toBe(20);
  });

  it.each([
    ["day", "Europe/Berlin", "2026-03-28T22:59:59.999Z", "2026-03-28T23:00:00Z", 23],
    ["day", "America/Sao_Paulo", "2018-11-04T02:59:59.999Z", "2018-11-04T03:00:00Z", 23],
    ["week", "Asia/Kolkata", "2026-03-22T18:29:59.999Z", "2026-03-22T18:30:00Z", 168],
    ["month", "Europe/Berlin", "2026-09-30T21:59:59.999Z", "2026-09-30T22:00:00Z", 31 * 24 + 1],
    ["year", "UTC", "2027-12-31T23:59:59.999Z", "2028-01-01T00:00:00Z", 366 * 24],
  ] as const)(
    "a %s of %s ends at its first moment in Redis, too: before %s, from %s",
    async (window, timeZone, before, from, hours) => {
      const clock = manualClock(Date.parse(before));
      const limits = [fixedWindow({ name: "plan", limit: 2, window, timeZone })];
      const limiter = createLimiter({ name: "plan", limits, store: inUse.redis.storeByClock(), clock });
      expect([await limiter.allow("ann", 2), await limiter.allow("ann")]).toEqual([true, false]);
      clock.advance(0.999);
      expect((await limiter.consume("ann")).retryAfterMs).toBe(0.001);
      clock.set(Date.parse(from));
      expect((await limiter.consume("ann", 2)).resetMs).toBe(hours * 3_600_000);
      clock.advance(hours * 3_600_000 - 0.001);
      expect((await limiter.consume("ann")).retryAfterMs).toBe(0.001);
      clock.advance(0.001);
      expect((await limiter.consume("ann")).limitRemaining).toBe(1);
    },
  );

  it("keep what a key has used when their limit changes, and keep the first numbers if these are to stay", async () => {
    const clock = manualClock(Date.parse("2026-02-10T12:00:00Z"));
    const store = inUse.redis.storeByClock();
    const of = (limit: number, onChange: "carry-over" | "keep-first") =>
      createLimiter({
        name: `plan ${onChange}`,
        limits: [fixedWindow({ name: "plan", limit, window: "month", timeZone: "Europe/Berlin" })],
        onChange,
        store,
        clock,
      });
    await of(10, "carry-over").consume("ann", 4);
    expect((await of(5, "carry-over").consume("ann")).limitRemaining).toBe(0);
    await of(10, "keep-first").consume("ann", 4);
    expect((await of(5, "keep-first").consume("ann", 6)).allowed).toBe(true);
    clock.set(Date.parse("2026-02-28T23:00:00Z"));
    expect((await of(5, "keep-first").consume("ann", 5)).limitRemaining).toBe(0);
  });
});

describe("in tests the limiter's clock decides, of any date", () => {
  it.each(["1970-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2026-06-01T12:00:00Z", "2099-12-31T23:59:59Z"])(
    "decisions from %s on equal those of the memory store",
    async (date) => {
      const clock = manualClock(Date.parse(date));
      const limits = [
        perSecond(5),
        slidingWindow({ limit: 10, window: "10s" }),
        fixedWindow({ limit: 7, window: "3s", anchor: "first-use" }),
        tokenBucket({ name: "odd", capacity: 7, refill: 7, per: "3s" }),
        fixedWindow({ limit: 12, window: "day", timeZone: "Asia/Kolkata" }),
        fixedWindow({ limit: 30, window: "week" }),
      ];
      const asked = createLimiter({ name: "api", limits, store: inUse.redis.storeByClock(), clock });
      const memory = createLimiter({ name: "api", limits, clock });
      const random = new Random(Date.parse(date) & 0xffff);
      for (let call = 0; call < 100; call += 1) {
        const verb = random.of(["consume", "consume", "consume", "peek", "explain", "charge", "refund"] as const);
        const cost = random.between(0, 3);
        expect([call, verb, cost, await asked[verb]("ann", cost)]).toEqual([
          call,
          verb,
          cost,
          memory[verb]("ann", cost),
        ]);
        clock.advance(random.of([0, 0.001, 1, 4]));
      }
    },
  );
});
