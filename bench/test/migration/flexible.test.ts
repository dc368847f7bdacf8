import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterQueue,
  RateLimiterRedis,
  RateLimiterRes,
  RateLimiterUnion,
  RLWrapperBlackAndWhite,
} from "rate-limiter-flexible";
import {
  createLimiter,
  fixedWindow,
  type Key,
  memoryStore,
  perHour,
  perMinute,
  perSecond,
  slidingWindow,
  TollgateError,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { claimsOf, otherRowsOf, rowsBeside, titlesBeside } from "./page.ts";
import * as rivals from "./rivals.ts";

const PAGE = "from-rate-limiter-flexible.md";

const WINDOW = fixedWindow({ limit: 2, window: "1m", anchor: "first-use" });

function theirs(points = 2): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: 60 });
}

async function isAllowed(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  );
}

describe(`docs/${PAGE}, on what behaves differently`, () => {
  it("makes the claims that are tested", ({ task }) => expect(claimsOf(PAGE)).toEqual(titlesBeside(task)));

  it("An outage of Redis admits.", async () => {
    const storeClient = rivals.deadRedis();
    const options = { storeClient, points: 1, duration: 60 };
    await expect(new RateLimiterRedis(options).consume("ann")).rejects.toBeInstanceOf(Error);
    const insured = new RateLimiterRedis({ ...options, insuranceLimiter: theirs() });
    expect(await Promise.all([1, 2, 3].map(() => isAllowed(insured.consume("ann"))))).toEqual([true, true, false]);

    const limiterOver = (onFailure: rivals.OnFailure) =>
      createLimiter({ name: "api", limits: [perMinute(2)], store: rivals.deadStore({ onFailure }) });
    const decision = await limiterOver("allow").consume("ann");
    expect([decision.allowed, typeof decision.degraded]).toEqual([true, "string"]);
    expect(await limiterOver("deny").allow("ann")).toBe(false);
    const fallback = limiterOver({ fallback: memoryStore(), share: 1 });
    expect([await fallback.allow("ann"), await fallback.allow("ann"), await fallback.allow("ann")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("A token bucket refills all the time.", async () => {
    const limiter = theirs(10);
    await rivals.expectBucketsAndWindows(() => isAllowed(limiter.consume("ann")));
  });

  it("A denied call counts for nothing.", async () => {
    const limiter = theirs();
    expect([await isAllowed(limiter.consume("ann", 3)), await isAllowed(limiter.consume("ann"))]).toEqual([
      false,
      false,
    ]);
    const ours = createLimiter({ limits: [perMinute(2)] });
    expect([ours.allow("ann", 3), ours.allow("ann")]).toEqual([false, true]);

    const hour = new RateLimiterMemory({ keyPrefix: "hour", points: 9, duration: 3_600 });
    const union = new RateLimiterUnion(theirs(1), hour);
    for (let i = 0; i < 2; i += 1) await isAllowed(union.consume("ann"));
    expect((await hour.get("ann"))?.consumedPoints).toBe(2);
    const both = createLimiter({ limits: [perMinute(1), perHour(9)] });
    expect([both.allow("ann"), both.allow("ann"), both.explain("ann")[1]?.used]).toEqual([true, false, 1]);
  });

  it("A refund stops at full", async () => {
    const limiter = theirs(1);
    await limiter.reward("ann", 5);
    expect([await isAllowed(limiter.consume("ann")), await isAllowed(limiter.consume("ann"))]).toEqual([true, true]);
    const ours = createLimiter({ limits: [perMinute(1)] });
    ours.refund("ann", 5);
    expect([ours.allow("ann"), ours.allow("ann")]).toEqual([true, false]);
  });

  it("Waits are exact.", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const limiter = theirs();
    await limiter.consume("ann", 2);
    await expect(limiter.consume("ann")).rejects.toMatchObject({ msBeforeNext: 60_000 });
    const clock = manualClock(0);
    const ours = createLimiter({ limits: [perMinute(2)], clock });
    ours.allow("ann", 2);
    const { retryAfterMs } = ours.consume("ann");
    expect(retryAfterMs).toBe(30_000);
    clock.advance(retryAfterMs - 0.001);
    expect(ours.allow("ann")).toBe(false);
    clock.advance(0.001);
    expect(ours.allow("ann")).toBe(true);
  });

  it("Keys", () => {
    const limiter = createLimiter({ limits: [perMinute(1)] });
    const keys: Key[] = ["ann", 7, 8n, true, ["ann", 7n]];
    expect(keys.map((key) => limiter.allow(key))).toEqual(keys.map(() => true));
    for (const cost of [-1, 0.5]) expect(() => limiter.allow("ann", cost)).toThrow("cost: expected");
  });

  it("Memory is bounded", rivals.expectBoundedMemory);

  it("Windows", async () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const limiter = new RateLimiterMemory({ points: 1, duration: 2_147_484 });
    await limiter.consume("ann");
    await vi.waitFor(() => limiter.consume("ann"), { timeout: 10_000, interval: 1 });
    expect(slidingWindow({ limit: 1, window: "520w" }).windowMs).toBe(520 * 7 * 86_400_000);
  });
});

describe(`the other rows of docs/${PAGE}`, () => {
  it("are run", ({ task }) => expect(rowsBeside(task)).toEqual(otherRowsOf(PAGE)));

  it("`RateLimiterMemory` | `points: 5, duration: 60`", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const clock = manualClock(7_000);
    const [there, here] = [theirs(), createLimiter({ limits: [WINDOW], clock })];
    for (const now of [7_000, 60_000, 66_999, 67_000, 67_000, 67_000]) {
      vi.setSystemTime(now);
      clock.advance(now - clock.now());
      expect(here.allow("ann")).toBe(await isAllowed(there.consume("ann")));
    }
  });

  it("`RateLimiterQueue` | `execEvenly`, `execEvenlyMinDelayMs`", async () => {
    const queue = new RateLimiterQueue(new RateLimiterMemory({ points: 1, duration: 0.05 }));
    expect([await queue.removeTokens(1), await queue.removeTokens(1)]).toEqual([0, 0]);
    const clock = manualClock(0);
    const evenly = createLimiter({ limits: [perMinute(60, { burst: 1 })], clock });
    const passed: number[] = [];
    const waits = [1, 2, 3].map(async () => {
      await evenly.wait("ann");
      passed.push(clock.now());
    });
    for (let second = 0; second < 2; second += 1) {
      await new Promise(setImmediate);
      clock.advance(1_000);
    }
    await Promise.all(waits);
    expect(passed).toEqual([0, 1_000, 2_000]);
  });

  it("`dump()`, `restore()`", async () => {
    const [there, next] = [theirs(), theirs()];
    await there.consume("ann", 2);
    next.restore(there.dump());
    expect((await next.get("ann"))?.consumedPoints).toBe(2);
    const stores = [memoryStore(), memoryStore()] as const;
    const [here, later] = stores.map((store) => createLimiter({ name: "api", limits: [WINDOW], store }));
    here?.consume("ann", 2);
    for (const key of stores[0].keys("api")) later?.charge(key, here?.peek(key, 0).used ?? 0);
    expect(later?.peek("ann", 0).used).toBe(2);
  });

  it("`BurstyRateLimiter`", async () => {
    const bursty = new BurstyRateLimiter(
      new RateLimiterMemory({ points: 2, duration: 1 }),
      new RateLimiterMemory({ keyPrefix: "burst", points: 3, duration: 10 }),
    );
    const ours = createLimiter({ limits: [perSecond(2, { burst: 5 })], clock: manualClock(0) });
    for (let i = 0; i < 6; i += 1) expect(ours.allow("ann")).toBe(await isAllowed(bursty.consume("ann")));
  });

  it("`blockDuration: 600` | `ExpressBruteFlexible`", async () => {
    const there = new RateLimiterMemory({ points: 1, duration: 60, blockDuration: 600 });
    const here = createLimiter({ limits: [perMinute(1, { blockFor: "10m" })], clock: manualClock(0) });
    await there.consume("ann");
    here.allow("ann");
    const denied = await there.consume("ann").catch((rejected: unknown) => rejected as RateLimiterRes);
    expect([denied.msBeforeNext, here.consume("ann").retryAfterMs]).toEqual([600_000, 600_000]);
  });

  it("changing `points` at run time", async () => {
    const there = theirs();
    await there.consume("ann", 2);
    there.points = 3;
    expect([await isAllowed(there.consume("ann")), await isAllowed(there.consume("ann"))]).toEqual([true, false]);
    const limiterOf = (limit: number, store = memoryStore()) =>
      createLimiter({ name: "api", limits: [perMinute(limit, { name: "calls" })], store });
    const store = memoryStore();
    limiterOf(2, store).allow("ann", 2);
    const here = limiterOf(3, store);
    expect([here.allow("ann"), here.allow("ann")]).toEqual([true, false]);
  });

  it("`RLWrapperBlackAndWhite`", async () => {
    const limits = [perMinute(1)];
    const limiter = createLimiter({
      limits: (key) => (key === "staff" ? "unlimited" : key === "banned" ? "deny" : limits),
    });
    const lists = { whiteList: ["staff"], blackList: ["banned"] };
    const there = new RLWrapperBlackAndWhite({ limiter: theirs(1), ...lists });
    for (const key of ["ann", "ann", "staff", "staff", "banned", "banned"])
      expect(limiter.allow(key)).toBe(await isAllowed(there.consume(key)));
  });

  it("`RateLimiterUnion` | `consume(key, 1, { customDuration })` | `keyPrefix`", async () => {
    const both = () => createLimiter({ limits: [perMinute(10), perHour(12)], clock: manualClock(0) });
    const [one, other] = [both(), both()];
    expect([one.allow("ann", 10), one.allow("ann"), other.allow("ann", 10)]).toEqual([true, false, true]);

    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const clock = manualClock(0);
    const [there, limits] = [
      theirs(1),
      (key: unknown) => [fixedWindow({ limit: 1, window: key === "ann" ? "5s" : "1m" })],
    ];
    const here = createLimiter({ limits, clock });
    for (const now of [0, 4_999, 5_000]) {
      vi.setSystemTime(now);
      clock.set(now);
      expect(here.allow("ann")).toBe(await isAllowed(there.consume("ann", 1, { customDuration: 5 })));
    }
  });

  it("`await consume(key, points)` | `catch` with a `RateLimiterRes` | `catch` with an `Error` | `remainingPoints` | `msBeforeNext` of a denial | `msBeforeNext` otherwise | `consumedPoints`", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const [there, here] = [theirs(), createLimiter({ limits: [WINDOW], clock: manualClock(0) })];
    const [theirFirst, first] = [await there.consume("ann", 2), here.consume("ann", 2)];
    expect([first.remaining, first.resetMs]).toEqual([theirFirst.remainingPoints, theirFirst.msBeforeNext]);
    expect(first.used).toBe(theirFirst.consumedPoints);
    const rejected = await there.consume("ann").catch((error: unknown) => error);
    const denied = here.consume("ann");
    expect(rejected).toBeInstanceOf(RateLimiterRes);
    expect([denied.allowed, denied.retryAfterMs]).toEqual([false, (rejected as RateLimiterRes).msBeforeNext]);
    expect(here.consume("eve", 3).retryAfterMs).toBe(Number.POSITIVE_INFINITY);
    expect(() => here.consume("ann", -1)).toThrow(TollgateError);
  });

  it("`get(key)` | `penalty(key, points)` | `reward(key, points)` | `set(key, points, seconds)` | `block(key, 600)` | `delete(key)` | `deleteInMemoryBlockedAll()`", async () => {
    const [there, here] = [theirs(), createLimiter({ limits: [WINDOW], clock: manualClock(0) })];
    const expectLeft = async (left: number) => {
      expect((await there.get("ann"))?.remainingPoints ?? 2).toBe(left);
      expect([here.peek("ann", 0).remaining, 2 - (here.explain("ann")[0]?.used ?? 0)]).toEqual([left, left]);
    };
    expect(await there.get("ann")).toBe(null);
    await expectLeft(2);
    await there.penalty("ann", 2);
    here.charge("ann", 2);
    await expectLeft(0);
    await there.reward("ann", 1);
    here.refund("ann", 1);
    await expectLeft(1);
    await there.set("ann", 2, 60);
    here.reset("ann");
    here.charge("ann", 2);
    await expectLeft(0);
    await there.block("ann", 600);
    here.block("ann", "10m");
    const rejected = await there.consume("ann").catch((error: unknown) => error as RateLimiterRes);
    expect([here.consume("ann").retryAfterMs, Math.ceil(rejected.msBeforeNext / 1_000)]).toEqual([600_000, 600]);
    await there.delete("ann");
    here.reset("ann");
    expect(here.allow("ann")).toBe(false);
    here.unblock("ann");
    await expectLeft(2);
    here.allow("ann");
    here.block("ann", "10m");
    here.clear({ blocks: true });
    await expectLeft(2);
  });
});
