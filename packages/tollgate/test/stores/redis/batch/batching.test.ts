import { combine, createLimiter, perDay, perSecond, slidingWindow } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { argumentsOfCalls } from "../kit/script-calls.ts";
import { useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `key-${i}`);
}

/** The number of keys of each script call while the work is done. */
async function keysOfCalls(work: () => Promise<unknown>): Promise<number[]> {
  return (await argumentsOfCalls(inUse.redis.client, work)).map(([, count]) => Number(count));
}

describe("the calls of one turn", () => {
  it("calls of all verbs and limiters of one turn are one script call", async () => {
    const { redis } = inUse;
    const store = redis.store();
    const limiter = createLimiter({ name: "api", limits: [perDay(10), perSecond(50)], store });
    const other = createLimiter({ name: "other", limits: [slidingWindow({ limit: 10, window: "1h" })], store });
    const both = combine(limiter, other);
    // Loads the script.
    await both.allow("another");
    const calls = await redis.callsOf(() =>
      Promise.all([
        ...keys(40).map((key) => limiter.allow(key)),
        limiter.consume("a"),
        limiter.peek("b"),
        limiter.explain("c"),
        limiter.charge("d", 2),
        limiter.refund("e", 1),
        limiter.allowMany(["f", "g"], new Uint8Array(2)),
        limiter.handle("h").allow(),
        other.allow("a"),
        both.allow("i"),
      ]),
    );
    expect(calls).toBe(1);
  });

  it.each<[boolean | number, number[]]>([
    [10, [10, 10, 5]],
    [1, Array.from({ length: 25 }, () => 1)],
    [false, Array.from({ length: 25 }, () => 1)],
    [true, [25]],
    [1_024, [25]],
  ])("script calls have at most as many keys as batch allows: %s", async (batch, counts) => {
    const limiter = createLimiter({ name: "api", limits: [perDay(10)], store: inUse.redis.store({ batch }) });
    expect(await keysOfCalls(() => Promise.all(keys(25).map((key) => limiter.allow(key))))).toEqual(counts);
  });
});

describe("what calls cost the server", () => {
  it("charges of rings, which are written and explained, are so few a script call that it takes two milliseconds", async () => {
    const limits = [slidingWindow({ limit: 100, window: "1h", resolution: "1ms" })];
    const limiter = createLimiter({ name: "api", limits, store: inUse.redis.store() });
    const charges = await keysOfCalls(() => Promise.all(keys(100).map((key) => limiter.charge(key, 1))));
    expect(Math.max(...charges)).toBeLessThanOrEqual(60);
  });
});

describe("a hot key", () => {
  it("identical calls of a hot key are one transaction", async () => {
    const limiter = createLimiter({ name: "api", limits: [perDay(300)], store: inUse.redis.store() });
    let allowed: readonly boolean[] = [];
    const calls = await argumentsOfCalls(inUse.redis.client, async () => {
      allowed = await Promise.all(Array.from({ length: 1_000 }, () => limiter.allow("hot")));
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]!.length).toBeLessThan(40);
    // The first calls are admitted, in order.
    expect(allowed).toEqual(Array.from({ length: 1_000 }, (_, i) => i < 300));
  });
});

describe("the time of calls in one turn", () => {
  it("each limiter's calls have the time of its own clock", async () => {
    const { redis } = inUse;
    const store = redis.storeByClock();
    const [late, early] = [manualClock(NOW_MS + 3_600_000), manualClock(NOW_MS)];
    const limits = [perSecond(2)];
    const one = createLimiter({ name: "one", limits, clock: late, store });
    const other = createLimiter({ name: "other", limits, clock: early, store });
    await Promise.all([one.allow("ann", 2), other.allow("ann", 2), one.allow("bob", 2)]);
    late.advance(500);
    early.advance(499.999);
    const turn = [one.allow("ann"), other.allow("ann"), one.allow("ann"), other.allow("bob"), one.allow("bob")];
    expect(await Promise.all(turn)).toEqual([true, false, false, true, true]);
  });
});
