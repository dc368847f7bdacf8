import { combine, createLimiter, type Decision, fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import { type HybridStoreOptions, hybridStore } from "tollgate/hybrid";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { correctionAttacks } from "../../../limiter/attacks/corrections.ts";
import { receiptCases } from "../kit/receipt-cases.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const started = useRedis();

function storeOf(prefix = freshPrefix(), options: Partial<HybridStoreOptions> & object = {}) {
  const { client } = started.redis;
  const store = hybridStore({ client, prefix, timeout: "10s", strategy: "threshold", warnings: false, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Calls one after another. @returns how many were admitted. */
async function allowTimes(limiter: { allow(key: string): Promise<boolean> }, times: number): Promise<number> {
  let admitted = 0;
  for (let call = 0; call < times; call += 1) if (await limiter.allow("ann")) admitted += 1;
  return admitted;
}

describe('over strategy: "threshold"', () => {
  correctionAttacks(() => storeOf(freshPrefix(), BY_LIMITERS_CLOCK));
});

describe('receipts over strategy: "threshold"', () => {
  receiptCases(
    () => storeOf(),
    async () => {
      const names = (await started.redis.command("KEYS", "*:receipts:*")) as string[];
      await started.redis.command("DEL", ...names);
    },
  );
});

const HUNDREDS: readonly [string, Limit][] = [
  ["a bucket", tokenBucket({ name: "calls", capacity: 100, refill: 1, per: "1h" })],
  ["a window", fixedWindow({ name: "calls", limit: 100, window: "1d" })],
  ["a window from the first use", fixedWindow({ name: "calls", limit: 100, window: "1d", anchor: "first-use" })],
  ["a sliding window", slidingWindow({ name: "calls", limit: 100, window: "1d" })],
];

describe.each(HUNDREDS)("one node admits the limit of %s, and no more", (_kind, limit) => {
  const openLimiters = () => {
    const store = storeOf();
    const limiter = createLimiter({ name: "fleet", limits: [limit], store });
    const wide = createLimiter({
      name: "wide",
      limits: [tokenBucket({ capacity: 9_999, refill: 1, per: "1h" })],
      store,
    });
    return { limiter, both: combine(limiter, wide) };
  };

  it.each(["first", "last", "in turn", "at once"])("where it is asked with another one %s", async (order) => {
    const { limiter, both } = openLimiters();
    let admitted = 0;
    if (order === "first") admitted = (await allowTimes(both, 150)) + (await allowTimes(limiter, 150));
    else if (order === "last") admitted = (await allowTimes(limiter, 150)) + (await allowTimes(both, 150));
    else {
      for (let round = 0; round < 3; round += 1) {
        const calls = Array.from({ length: 100 }, (_, i) => () => (i % 2 === 0 ? limiter : both).allow("ann"));
        if (order === "at once") admitted += (await Promise.all(calls.map((call) => call()))).filter(Boolean).length;
        else for (const call of calls) if (await call()) admitted += 1;
      }
    }
    expect(admitted).toBe(100);
    expect((await limiter.explain("ann"))[0]?.used).toBe(100);
  });

  it("gives back what its decisions took, whether or not the server was charged with it", async () => {
    const { limiter, both } = openLimiters();
    const decisions = [await limiter.consume("ann", 10), await limiter.consume("ann", 10)];
    expect(await limiter.explain("ann")).toMatchObject([{ used: 20 }]);
    decisions.push(await limiter.consume("ann", 10));
    const joint = await both.consume("ann", 10);
    decisions.push(await limiter.consume("ann", 60));
    expect([await limiter.allow("ann"), await limiter.allow("ann")]).toEqual([false, false]);
    for (const decision of decisions) await limiter.refund("ann", 2, decision);
    await both.refund("ann", 2, joint);
    expect(await limiter.explain("ann")).toMatchObject([{ used: 90 }]);
    expect(await allowTimes(limiter, 20)).toBe(10);
  });

  it.each(["reset", "clear"] as const)("gives back nothing of calls after a %s of another node", async (verb) => {
    const prefix = freshPrefix();
    const limiter = createLimiter({ name: "fleet", limits: [limit], store: storeOf(prefix) });
    const other = createLimiter({ name: "fleet", limits: [limit], store: started.redis.store({ prefix }) });
    const decisions = [await limiter.consume("ann", 30), await limiter.consume("ann", 30)];
    await limiter.explain("ann");
    await (verb === "reset" ? other.reset("ann") : other.clear());
    await other.consume("bob");
    await other.consume("ann", 80);
    for (const decision of decisions) await limiter.refund("ann", 30, decision);
    expect(await other.explain("ann")).toMatchObject([{ used: 80 }]);
  });
});

it.each([1, 2])("late refunds of an earlier window admit no more in the next one: %d", async (cost) => {
  const clock = manualClock(1_790_000_000_000);
  const limits = [fixedWindow({ limit: 100, window: "1m" })];
  const limiter = createLimiter({ name: "fleet", limits, store: storeOf(freshPrefix(), BY_LIMITERS_CLOCK), clock });
  const decisions: Decision[] = [];
  for (let call = 0; call < 70 / cost; call += 1) decisions.push(await limiter.consume("ann", cost));
  clock.advance(60_000);
  let admitted = await allowTimes(limiter, 75);
  for (const decision of decisions) await limiter.refund("ann", cost, decision);
  admitted += await allowTimes(limiter, 75);
  expect(admitted).toBe(100);
});

it("without the server, a key that is exhausted here stays denied", async () => {
  const store = storeOf(freshPrefix(), { onFailure: "allow", denyCache: false });
  const limiter = createLimiter({ name: "fleet", limits: [HUNDREDS[0]![1]], store });
  expect(await allowTimes(limiter, 110)).toBe(100);
  store.bypass = true;
  expect(await limiter.consume("ann")).toMatchObject({ allowed: true, degraded: "bypassed" });
});
