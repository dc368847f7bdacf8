import {
  type AsyncLimiter,
  combine,
  createLimiter,
  type Decision,
  fixedWindow,
  memoryStore,
  perDay,
  perHour,
  slidingWindow,
} from "tollgate";
import type { OnFailure } from "tollgate/redis";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { type StoreOptions, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

const NOW_MS = 1_790_000_000_000;
const LIMITS = [
  perDay(10),
  slidingWindow({ limit: 10, window: "1d" }),
  fixedWindow({ limit: 10, window: "1d", anchor: "first-use" }),
];

/** The settling verbs of a limiter or of a handle. */
interface Settling {
  consume(cost: number): Promise<Decision>;
  charge(cost: number, decision?: Decision): Promise<Decision>;
  refund(cost: number, decision?: Decision): Promise<void>;
}

function setUp(onFailure: OnFailure = { fallback: memoryStore(), share: 1 }, options: StoreOptions = {}) {
  const clock = manualClock(NOW_MS);
  const store = inUse.redis.storeByClock({ onFailure, ...options });
  return { clock, store };
}

type Made = (parts: ReturnType<typeof setUp>) => AsyncLimiter;

const limiterOf: Made = ({ store, clock }) => createLimiter({ name: "api", limits: LIMITS, store, clock });
const chosen: Made = ({ store, clock }) => createLimiter({ name: "chosen", limits: () => LIMITS, store, clock });
const combined: Made = ({ store, clock }) => {
  const hourly = createLimiter({ name: "hourly", limits: [perHour(10)], store, clock });
  const daily = createLimiter({ name: "daily", limits: LIMITS, store, clock });
  return combine(hourly, daily);
};

function verbsOf(limiter: AsyncLimiter): Settling {
  return {
    consume: (cost) => limiter.consume("ann", cost),
    charge: (cost, decision) => limiter.charge("ann", cost, decision),
    refund: (cost, decision) => limiter.refund("ann", cost, decision),
  };
}

function verbsOfHandle(limiter: AsyncLimiter): Settling {
  const handle = limiter.handle("ann");
  return {
    consume: (cost) => handle.consume(cost),
    charge: (cost, decision) => handle.charge(cost, decision),
    refund: (cost, decision) => handle.refund(cost, decision),
  };
}

const WAYS: readonly (readonly [name: string, make: Made, settlingOf: (limiter: AsyncLimiter) => Settling])[] = [
  ["a limiter", limiterOf, verbsOf],
  ["a handle", limiterOf, verbsOfHandle],
  ["limits chosen per call", chosen, verbsOf],
  ["a handle of limits chosen per call", chosen, verbsOfHandle],
  ["a combination", combined, verbsOf],
  ["a handle of a combination", combined, verbsOfHandle],
];

describe.each(WAYS)("corrections by %s", (_name, make, settlingOf) => {
  function begin(onFailure?: OnFailure) {
    const parts = setUp(onFailure);
    const limiter = make(parts);
    const left = async (bypass: boolean) => {
      parts.store.bypass = bypass;
      return (await limiter.peek("ann", 0)).remaining;
    };
    /** The remaining units on the server and locally. */
    const bothLeft = async () => [await left(false), await left(true)];
    return { ...settlingOf(limiter), ...parts, bothLeft };
  }

  it("units that were taken locally are given back locally", async () => {
    const { store, consume, refund, bothLeft } = begin();
    await consume(5);
    store.bypass = true;
    const taken = await consume(3);
    expect(taken).toMatchObject({ degraded: "bypassed", remaining: 7 });
    store.bypass = false;
    await refund(2, taken);
    expect(await bothLeft()).toEqual([5, 9]);
    await refund(5, taken);
    expect(await bothLeft()).toEqual([5, 10]);
  });

  it("units that the server took are given back there, or nowhere", async () => {
    const { store, consume, refund, bothLeft } = begin();
    const taken = await consume(5);
    store.bypass = true;
    await consume(3);
    await refund(2, taken);
    expect(await bothLeft()).toEqual([5, 7]);
    store.bypass = false;
    await refund(2, taken);
    expect(await bothLeft()).toEqual([7, 7]);
  });

  it("units are charged where the call took", async () => {
    const { store, consume, charge, bothLeft } = begin();
    const onServer = await consume(1);
    store.bypass = true;
    const inItsPlace = await consume(2);
    store.bypass = false;
    expect(await charge(3, inItsPlace)).toMatchObject({ degraded: "bypassed", remaining: 5 });
    expect(await bothLeft()).toEqual([9, 5]);
    store.bypass = false;
    expect((await charge(4, onServer)).degraded).toBeUndefined();
    expect((await charge(1)).degraded).toBeUndefined();
    expect(await bothLeft()).toEqual([4, 5]);
  });

  it.each(["allow", "deny"] as const)("nothing is corrected if the policy counted nothing: %s", async (policy) => {
    const { store, consume, charge, refund } = begin(policy);
    await consume(5);
    store.bypass = true;
    const decision = await consume(3);
    store.bypass = false;
    await refund(3, decision);
    expect(await charge(3, decision)).toMatchObject({ degraded: "bypassed", allowed: policy === "allow", limits: [] });
    expect((await consume(0)).remaining).toBe(5);
  });
});

describe("a decision given to refund and charge", () => {
  it("a value that is no decision throws", async () => {
    const { store, clock } = setUp();
    const limiter = createLimiter({ name: "api", limits: LIMITS, store, clock });
    await limiter.consume("ann", 5);
    for (const [given, shown] of [
      [true, "true"],
      [null, "null"],
      [limiter.peek("ann"), "a promise"],
      [{}, "an object"],
    ] as const) {
      const expected = {
        code: "ERR_OPTION",
        message: `decision: expected the decision that took the units, got ${shown}`,
      };
      const decision = given as unknown as Decision;
      await expect(limiter.refund("ann", 1, decision)).rejects.toMatchObject(expected);
      await expect(limiter.charge("ann", 1, decision)).rejects.toMatchObject(expected);
      await expect(limiter.handle("ann").refund(1, decision)).rejects.toMatchObject(expected);
      await expect(limiter.handle("ann").charge(1, decision)).rejects.toMatchObject(expected);
    }
    expect((await limiter.peek("ann", 0)).remaining).toBe(5);
  });
});
