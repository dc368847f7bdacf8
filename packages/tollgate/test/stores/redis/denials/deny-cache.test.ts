import { combine, createLimiter, perDay, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../../src/core/plan.ts";
import { Report } from "../../../../src/core/report.ts";
import type { KeyCall } from "../../../../src/stores/redis/batch/key-call.ts";
import { KeyLine } from "../../../../src/stores/redis/batch/key-line.ts";
import { Work } from "../../../../src/stores/redis/batch/work.ts";
import { DenyCache } from "../../../../src/stores/redis/denials/deny-cache.ts";
import { encodePlan } from "../../../../src/stores/redis/script/encode-plan.ts";
import { exhaustedLimiter, NOW_MS } from "../kit/exhausted-limiter.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

function exhausted(options?: Parameters<typeof exhaustedLimiter>[1]) {
  return exhaustedLimiter(inUse.redis, options);
}

describe("a cached denial", () => {
  it("a cached denial denies the same cost and more without a round trip until it ends", async () => {
    const { redis, clock, limiter } = await exhausted();
    expect(await limiter.allow("ann", 2)).toBe(false);
    const calls = await redis.callsOf(async () => {
      clock.advance(199.999);
      expect(await limiter.allow("ann", 2)).toBe(false);
      expect(await limiter.allow("ann", 7)).toBe(false);
      expect((await limiter.consume("ann", 2)).allowed).toBe(false);
      expect(await limiter.handle("ann").allow(3)).toBe(false);
      expect(await limiter.allowMany(["ann", "ann"], new Uint8Array(2), 2)).toBe(0);
    });
    expect(calls).toBe(0);
  });

  it("a smaller cost than the denied one reaches the server", async () => {
    const { redis, clock, limiter } = await exhausted();
    await limiter.allow("ann", 2);
    clock.advance(100);
    expect(await redis.callsOf(() => limiter.allow("ann", 1))).toBe(1);
    expect(await limiter.peek("ann")).toMatchObject({ allowed: false, remaining: 0 });
  });

  it("peek and explain reach the server in spite of a cached denial", async () => {
    const { redis, limiter } = await exhausted();
    await limiter.allow("ann");
    expect(await redis.callsOf(() => limiter.peek("ann"))).toBe(1);
    expect(await redis.callsOf(() => limiter.explain("ann"))).toBe(1);
  });

  it("a denial of a cost that never conforms is not cached", async () => {
    const { redis, limiter } = await exhausted();
    const asked = await redis.callsOf(async () => {
      const never = { allowed: false, reason: "cost-over-capacity" };
      expect(await limiter.consume("ann", 11)).toMatchObject(never);
      expect(await limiter.consume("ann", 11)).toMatchObject(never);
      expect(await limiter.allow("bob", 11)).toBe(false);
      expect(await limiter.allow("bob", 10)).toBe(true);
    });
    expect(asked).toBe(4);
  });

  it("denyCache: false turns the cache off", async () => {
    const { redis, limiter } = await exhausted({ denyCache: false });
    await limiter.allow("ann");
    expect(await redis.callsOf(() => limiter.allow("ann"))).toBe(1);
    expect(await redis.callsOf(() => limiter.consume("ann"))).toBe(1);
  });

  it("a full cache evicts the oldest denial", async () => {
    const { redis, limiter } = await exhausted({ denyCache: 3, capacity: 1 });
    for (const key of ["a", "b", "c", "d"]) {
      await limiter.allow(key);
      expect(await limiter.allow(key)).toBe(false);
    }
    expect(await redis.callsOf(() => Promise.all(["b", "c", "d"].map((key) => limiter.allow(key))))).toBe(0);
    expect(await redis.callsOf(() => limiter.allow("a"))).toBe(1);
  });
});

describe("a denial that is dropped from the cache", () => {
  it.each<[string, (limiter: Awaited<ReturnType<typeof exhausted>>["limiter"]) => Promise<unknown>]>([
    ["refund", (limiter) => limiter.refund("ann", 3)],
    ["reset", (limiter) => limiter.reset("ann")],
    ["clear", (limiter) => limiter.clear()],
    ["the refund of a handle", (limiter) => limiter.handle("ann").refund(3)],
  ])("a denial is dropped by %s, awaited or not", async (_name, refund) => {
    for (const awaited of [true, false]) {
      const { limiter } = await exhausted();
      expect(await limiter.allow("ann", 3)).toBe(false);
      const given = refund(limiter);
      if (awaited || _name === "clear") await given;
      const [allowed] = await Promise.all([limiter.allow("ann", 3), given]);
      expect(allowed).toBe(true);
      expect((await limiter.consume("ann", 3)).allowed).toBe(_name === "reset" || _name === "clear");
    }
  });

  it("a denial decided before a refund but received after it is dropped", async () => {
    const { limiter } = await exhausted();
    const turn = [limiter.allow("ann", 2), limiter.consume("ann", 2), limiter.refund("ann", 2)];
    await Promise.all(turn);
    expect(await limiter.allow("ann", 2)).toBe(true);
    const again = [limiter.consume("ann", 2), limiter.allow("ann", 2), limiter.reset("ann")];
    await Promise.all(again);
    expect(await limiter.allow("ann", 2)).toBe(true);
  });

  it("an admitted smaller take drops the denial, whose figures are stale", async () => {
    const { clock, limiter } = await exhausted();
    await limiter.consume("ann", 5);
    clock.advance(100);
    expect(await limiter.allow("ann", 1)).toBe(true);
    expect(await limiter.consume("ann", 5)).toMatchObject({ retryAfterMs: 500 });
  });

  it("takes of several limiters drop the denial", async () => {
    const { redis } = inUse;
    const clock = manualClock(NOW_MS);
    const store = redis.storeByClock();
    const limiter = createLimiter({ name: "api", limits: [perSecond(10)], clock, store });
    const both = combine(limiter, createLimiter({ name: "route", limits: [perDay(10)], clock, store }));
    await limiter.allow("ann", 10);
    await limiter.consume("ann", 5);
    clock.advance(100);
    const [, told] = await Promise.all([both.allow("ann"), limiter.consume("ann", 5)]);
    expect(told).toMatchObject({ allowed: false, retryAfterMs: 500 });
  });

  it("a refund by another node does not drop the denial before it ends", async () => {
    const prefix = freshPrefix();
    const { redis, clock, limiter } = await exhausted({ prefix });
    expect(await limiter.allow("ann", 3)).toBe(false);
    const elsewhere = createLimiter({
      name: "api",
      limits: [perSecond(10)],
      clock,
      store: redis.storeByClock({ prefix }),
    });
    await elsewhere.refund("ann", 10);
    expect(await limiter.allow("ann", 3)).toBe(false);
    expect((await limiter.peek("ann", 3)).allowed).toBe(true);
    clock.advance(300);
    expect(await limiter.allow("ann", 10)).toBe(true);
  });
});

it("a denial that comes after the answer to a later refund, over another connection, is not cached", () => {
  const limits = createPlan("api", "api", [perSecond(1)]);
  const plan = encodePlan(limits);
  const call = { countsName: "ann", name: "ann", costs: [1], plan, space: { plan: limits } } as unknown as KeyCall;
  const memory = new DenyCache(8);
  const lines = [new KeyLine<Work>("ann")];
  const ask = (verb: "take" | "refund") =>
    new Work({
      verb,
      keys: [call],
      lines,
      waiter: { wantsReport: true, resolve: () => {}, without: () => new Report() },
      nowUs: 0,
      sinceMs: 0,
      memory,
      options: undefined,
    });
  const denial = new Report(1);
  denial.waitUs[0] = 1_000_000;
  const [before, refund] = [ask("take"), ask("refund")];
  refund.done({ admitted: 1, reports: [] });
  before.done({ admitted: 0, reports: [denial] });
  expect(memory.reportOn(call, 1, false)).toBeUndefined();
  ask("take").done({ admitted: 0, reports: [denial] });
  expect(memory.reportOn(call, 1, false)).toBe(denial);
});
