import { combine, createLimiter, fixedWindow, memoryStore, type Observation, perMinute, TollgateError } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";

const TEN = [fixedWindow({ limit: 10, window: "1h" })];

function limiterOf(observed: Observation[] = []) {
  const clock = manualClock(1_790_000_000_000);
  return { clock, limiter: createLimiter({ limits: TEN, clock, observe: (one) => observed.push(one) }) };
}

function usedOf(limiter: { explain: (key: string) => { used: number }[] }): number {
  return limiter.explain("a")[0]!.used;
}

describe("a reservation", () => {
  it("is cancelled at the end of its block unless it was settled", () => {
    const { limiter } = limiterOf();
    {
      using left = limiter.reserve("a", 4);
      expect([left.decision.allowed, usedOf(limiter)]).toEqual([true, 4]);
    }
    expect(usedOf(limiter)).toBe(0);
    {
      using kept = limiter.reserve("a", 4);
      kept.settle(3);
    }
    expect(usedOf(limiter)).toBe(3);
  });

  it("keeps its estimate when it is settled without a cost, what was charged included", async () => {
    const { limiter } = limiterOf();
    const reservation = limiter.reserve("a", 4);
    reservation.charge(2);
    reservation.settle();
    reservation.cancel();
    expect(usedOf(limiter)).toBe(6);
    const acquired = await limiter.acquire("a", 3);
    await acquired.settle();
    await acquired.cancel();
    expect(usedOf(limiter)).toBe(9);
  });

  it.each([-1, 0.5, Number.NaN, "2", null, { tokens: 1 }, { requests: -1 }])(
    "refuses %j as an actual cost, changes nothing, and stays open",
    (cost) => {
      const { limiter } = limiterOf();
      const reservation = limiter.reserve("a", 4);
      expect(() => reservation.settle(cost as number)).toThrow(TollgateError);
      expect(() => reservation.charge(cost as number)).toThrow(TollgateError);
      expect(usedOf(limiter)).toBe(4);
      reservation.settle(1);
      expect(usedOf(limiter)).toBe(1);
    },
  );

  it("charges nothing more once it has ended", () => {
    const { limiter } = limiterOf();
    const settled = limiter.reserve("a", 4);
    settled.settle(4);
    expect(() => settled.charge(1)).toThrow("charge: expected an open reservation, got one that was settled");
    const cancelled = limiter.reserve("a", 4);
    cancelled.cancel();
    expect(() => cancelled.charge(1)).toThrow("got one that was cancelled");
    expect(usedOf(limiter)).toBe(4);
  });

  it("that was denied charges what the work has cost nevertheless", () => {
    const { limiter } = limiterOf();
    const denied = limiter.reserve("a", 11);
    expect(denied.decision).toMatchObject({ allowed: false, reason: "cost-over-capacity" });
    denied.settle(11);
    expect(usedOf(limiter)).toBe(11);
  });

  it("that was denied charges each unit that the actual cost names, where requests are not counted", () => {
    const units = ["tokens", "words"].map((unit) => perMinute(10, { name: unit, unit }));
    const limiter = createLimiter({ limits: units, clock: manualClock(1_790_000_000_000) });
    const denied = limiter.reserve("a", { tokens: 11, words: 1 });
    denied.charge({ words: 2 });
    denied.settle({ tokens: 3, words: 5 });
    expect(denied.decision.allowed).toBe(false);
    const statuses = limiter.explain("a", { tokens: 0, words: 0 });
    expect(statuses.map(({ used }) => used)).toEqual([3, 5]);
  });

  it("says when a charge does not conform, and counts it", () => {
    const { limiter } = limiterOf();
    const reservation = limiter.reserve("a", 8);
    expect([reservation.charge(2).allowed, reservation.charge(1).allowed, usedOf(limiter)]).toEqual([true, false, 11]);
    reservation.cancel();
    expect(usedOf(limiter)).toBe(0);
  });

  it("reads its cost once, so that a caller may reuse the object", () => {
    const limiter = createLimiter({ limits: [perMinute(10), perMinute(100, { unit: "tokens" })] });
    const cost = { requests: 1, tokens: 50 };
    const reservation = limiter.reserve("a", cost);
    cost.tokens = 1;
    reservation.settle({ tokens: 20 });
    expect(limiter.explain("a").map(({ used }) => used)).toEqual([1, 20]);
  });

  it("is observed as a call, and so is what it charges", () => {
    const observed: Observation[] = [];
    const { limiter } = limiterOf(observed);
    const reservation = limiter.reserve("a", 4);
    reservation.charge(1);
    reservation.settle(7);
    const verbs = observed.map((one) => (one.type === "decision" ? [one.verb, one.cost, one.keys] : one.type));
    expect(verbs).toEqual([
      ["reserve", 4, ["a"]],
      ["charge", 1, ["a"]],
      ["charge", 2, ["a"]],
    ]);
  });

  it("serves those that wait when it gives units back", async () => {
    const { limiter } = limiterOf();
    const reservation = limiter.reserve("a", 10);
    const waiting = limiter.wait("a", 5);
    reservation.settle(3);
    expect([(await waiting).allowed, usedOf(limiter)]).toEqual([true, 8]);
  });

  it("refunds an overflow bucket what it took there", () => {
    const limiter = createLimiter({ limits: TEN, store: memoryStore({ maxKeys: 1 }) });
    limiter.allow("first");
    const reservation = limiter.reserve("a", 4);
    expect(reservation.decision.overflowed).toBe(true);
    reservation.cancel();
    expect(usedOf(limiter)).toBe(0);
  });

  it("refuses unknown options, and a ttl that is no duration", () => {
    const { limiter } = limiterOf();
    expect(() => limiter.reserve("a", 1, { tll: "1m" } as object)).toThrow(/reserve: .*tll/);
    expect(() => limiter.reserve("a", 1, { ttl: 0 })).toThrow(/ttl: expected milliseconds/);
    expect(limiter.size).toBe(0);
  });
});

describe("a reservation that is awaited", () => {
  it("works like one that is not, over a limiter that looks keys up", async () => {
    const { clock, limiter: inner } = limiterOf();
    const limiter = createLimiter({ key: async (user: string) => user, limits: TEN, clock, async: true });
    const other = combine(limiter, inner);
    const reserved = [limiter.reserve("a", 4), other.reserve("a", 4), limiter.handle("a").reserve(2)];
    for (const reservation of await Promise.all(reserved)) {
      await reservation.charge(1);
      await expect(reservation.settle(-1)).rejects.toThrow(TollgateError);
      await reservation.settle(2);
      await reservation.cancel();
      await expect(reservation.charge(1)).rejects.toThrow("got one that was settled");
    }
    {
      await using left = await limiter.reserve("a", 4);
      expect(left.decision.allowed).toBe(true);
    }
    expect([(await limiter.explain("a"))[0]?.used, usedOf(inner)]).toEqual([6, 2]);
  });
});
