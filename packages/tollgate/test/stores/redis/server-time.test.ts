import { createLimiter, fixedWindow, perDay, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "./kit/use-redis.ts";
import { Random } from "./script/kit/random.ts";

const inUse = useRedis();
const AN_HOUR_MS = 3_600_000;

describe("the server's clock decides", () => {
  it("two nodes whose clocks are hours apart share one quota", async () => {
    const prefix = freshPrefix();
    const limits = [
      perDay(100),
      slidingWindow({ limit: 90, window: "1h" }),
      fixedWindow({ limit: 95, window: "100d" }),
    ];
    const nodes = [-5 * AN_HOUR_MS, 7 * AN_HOUR_MS].map((differenceMs) =>
      createLimiter({
        name: "api",
        limits,
        store: inUse.redis.store({ prefix }),
        clock: manualClock(Date.now() + differenceMs),
      }),
    );
    const [one, other] = [nodes[0]!, nodes[1]!];
    const allowed = await Promise.all(Array.from({ length: 120 }, (_, i) => nodes[i % 2]!.allow("ann")));
    expect(allowed.filter(Boolean)).toHaveLength(90);
    const [mine, theirs] = await Promise.all([one.explain("ann"), other.explain("ann")]);
    for (const [i, report] of mine.entries()) {
      expect({ ...report, retryAfterMs: 0, resetMs: 0 }).toEqual({ ...theirs[i], retryAfterMs: 0, resetMs: 0 });
      expect(Math.abs(report.resetMs - theirs[i]!.resetMs)).toBeLessThan(2_000);
    }
    expect(await one.consume("ann")).toMatchObject({ allowed: false, remaining: 0 });
    await other.refund("ann", 90);
    expect(
      (await createLimiter({ name: "api", limits, store: inUse.redis.store({ prefix }) }).consume("ann", 90)).allowed,
    ).toBe(true);
  });

  it("a denial ends by the server's clock, whatever the date of the limiter's clock", async () => {
    const differenceMs = -9 * AN_HOUR_MS;
    const clock = { now: () => Date.now() + differenceMs };
    const limits = [tokenBucket({ capacity: 1, refill: 1, per: "400ms" })];
    const limiter = createLimiter({ name: "api", limits, store: inUse.redis.store(), clock });
    await limiter.allow("ann");
    const denied = await limiter.consume("ann");
    expect(denied.allowed).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 405));
    expect(await limiter.allow("ann")).toBe(true);
  });

  it.each([-AN_HOUR_MS, AN_HOUR_MS])(
    "decisions are corrected, although the node's clock differs by %i ms",
    async (differenceMs) => {
      const bucket = tokenBucket({ capacity: 10, refill: 10, per: "10m" });
      const windows = [slidingWindow({ limit: 10, window: "10m" }), fixedWindow({ limit: 10, window: "10m" })];
      const store = inUse.redis.store();
      const clock = { now: () => Date.now() + differenceMs };
      for (const [i, limits] of [[bucket], ...windows.map((limit) => [limit]), [bucket, ...windows]].entries()) {
        const limiter = createLimiter({ name: `api ${i}`, limits, store, clock });
        const decision = await limiter.consume("ann", 5);
        const reserved = await limiter.reserve("ann", 4);
        await limiter.refund("ann", 2, decision);
        await reserved.settle(1);
        expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual(limits.map(() => 4));
      }
    },
  );
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
