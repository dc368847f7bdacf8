import { createLimiter, type Decision, fixedWindow, perDay, perHour, perMinute, tokenBucket } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { allowTimes, type Node, openNode, openNodes } from "./kit/use-hybrid.ts";

const started = useRedis();

/** No unit comes back during a test. */
const slowBucket = tokenBucket({ capacity: 10_000, refill: 1, per: "1h" });

describe("a hybrid store", () => {
  it("decides most calls without asking the server", async () => {
    const [node] = openNodes(started.redis, 1, [perMinute(100_000)]);
    expect(await allowTimes(node!, 1_000)).toBe(1_000);
    const { asks, decidedLocally, leased, spent } = node!.store.stats();
    expect(asks).toBeLessThan(100);
    expect(decidedLocally).toBeGreaterThan(900);
    expect(leased).toBeGreaterThanOrEqual(spent);
  });

  it("gives back what a decision took from a lease of a window by the calendar", async () => {
    const limit = fixedWindow({ limit: 1_000, window: "year", timeZone: "Europe/Berlin" });
    const [node] = openNodes(started.redis, 1, [limit]);
    expect(await allowTimes(node!, 100)).toBe(100);
    const { decidedLocally } = node!.store.stats();
    const calls = Array.from({ length: 20 }, () => node!.limiter.consume("ann", 2));
    const decisions = await Promise.all(calls);
    expect(node!.store.stats().decidedLocally).toBeGreaterThan(decidedLocally);
    for (const decision of decisions) await node!.limiter.refund("ann", 1, decision);
    expect(await node!.limiter.explain("ann")).toMatchObject([{ used: 120 }]);
  });

  it("decides a call that costs nothing when its lease has just ended", async () => {
    const clock = manualClock();
    const store = hybridStore({ client: started.redis.client, prefix: freshPrefix(), ...BY_LIMITERS_CLOCK });
    onTestFinished(() => store.close());
    const node = { store, limiter: createLimiter({ name: "fleet", limits: [perMinute(100_000)], store, clock }) };
    await allowTimes(node, 100);
    expect(store.stats().decidedLocally).toBeGreaterThan(0);
    clock.advance(60_000);
    expect(await node.limiter.consume("ann", 0)).toMatchObject({ allowed: true, remaining: 100_000 });
  });

  it("gives back all that was spent, though the server may count it as leased", async () => {
    const [prefix, limits] = [freshPrefix(), [fixedWindow({ limit: 1_000, window: "1h", anchor: "first-use" })]];
    const [node] = openNodes(started.redis, 1, limits, prefix);
    const decisions: Decision[] = [];
    for (let call = 0; call < 100; call += 1) decisions.push(await node!.limiter.consume("ann"));
    expect(node!.store.stats().decidedLocally).toBeGreaterThan(50);
    for (const decision of decisions) await node!.limiter.refund("ann", 1, decision);
    await node!.store.close();
    const strict = createLimiter({ name: "fleet", limits, store: started.redis.store({ prefix }) });
    expect(await strict.explain("ann")).toMatchObject([{ used: 0 }]);
  });

  it("close waits for the calls that were made before, and rejects those after it", async () => {
    const [node] = openNodes(started.redis, 1, [slowBucket]);
    await allowTimes(node!, 30);
    const calls = Array.from({ length: 300 }, (_, i) => node!.limiter.consume("ann", 1 + (i % 3)));
    const answered = Promise.allSettled(calls).then((all) => all.filter(({ status }) => status === "fulfilled").length);
    const closed = node!.store.close();
    await expect(node!.limiter.allow("ann")).rejects.toMatchObject({ code: "ERR_STORE" });
    await expect(node!.limiter.consume("ann")).rejects.toMatchObject({ code: "ERR_STORE" });
    expect(await answered).toBe(300);
    await closed;
  });

  it("asks for so few leases at a time that each script call takes about two milliseconds", async () => {
    const [node] = openNodes(started.redis, 1, [perMinute(100_000)]);
    const askAll = () => Promise.all(Array.from({ length: 200 }, (_, i) => node!.limiter.allow(`client ${i}`, 10)));
    await askAll();
    const { asks } = node!.store.stats();
    const calls = await started.redis.callsOf(askAll);
    const leases = node!.store.stats().asks - asks;
    expect(leases).toBeGreaterThanOrEqual(200);
    expect(leases / calls).toBeLessThanOrEqual(20);
  });

  it("keeps a bounded number of keys, whatever the number of limiters", async () => {
    const [{ store }] = openNodes(started.redis, 1, [slowBucket]) as [Node];
    const limiters = ["a", "b", "c", "d"].map((name) => createLimiter({ name, limits: [slowBucket], store }));
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (const limiter of limiters) {
      for (let from = 0; from < 12_000; from += 500)
        await Promise.all(Array.from({ length: 500 }, (_, i) => limiter.allow(`client ${from + i}`)));
    }
    globalThis.gc?.();
    // The keys of all four limiters would take 110 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(80 * 2 ** 20);
  });

  it("costs that exceed the lease are decided with all that is left", async () => {
    const [node] = openNodes(started.redis, 1, [perHour(1_000)]);
    expect(await allowTimes(node!, 200)).toBe(200);
    expect(await node!.limiter.allow("ann", 801)).toBe(false);
    expect(await node!.limiter.allow("ann", 800)).toBe(true);
    expect(await node!.limiter.allow("ann")).toBe(false);
  });

  it("another algorithm of a limit is another limit, whatever is leased: each admits its own units", async () => {
    const prefix = freshPrefix();
    const other = fixedWindow({ name: "calls", limit: 300, window: "1d", anchor: "first-use" });
    const [before] = openNodes(started.redis, 1, [perDay(1_000, { name: "calls" })], prefix);
    const [after] = openNodes(started.redis, 1, [other], prefix);
    const admitted = { before: await allowTimes(before!, 400), after: await allowTimes(after!, 600) };
    expect(admitted).toEqual({ before: 400, after: 300 });
    expect(await allowTimes(before!, 1_000)).toBe(600);
    expect(await allowTimes(after!, 10)).toBe(0);
  });
});

describe("operators", () => {
  it("a reset ends remembered denials under all numbers of a limit", async () => {
    const store = hybridStore({ client: started.redis.client, prefix: freshPrefix(), timeout: "10s" });
    const limitOf = (limit: number) => fixedWindow({ name: "calls", limit, window: "1h" });
    const limiter = createLimiter({ name: "fleet", key: () => "ann", limits: (n: number) => [limitOf(n)], store });
    const deny = async (capacity: number) => {
      while (await limiter.allow(capacity));
    };
    for (const reset of [() => limiter.reset(50), () => limiter.clear()]) {
      await deny(50);
      await deny(100);
      await deny(50);
      await reset();
      expect([await limiter.allow(100), await limiter.allow(50)]).toEqual([true, true]);
    }
    await store.close();
  });

  it("clear ends denials that came while it looked for keys", async () => {
    const [node] = openNodes(started.redis, 1, [fixedWindow({ limit: 50, window: "1h" })]);
    while (await node!.limiter.allow("ann"));
    const cleared = node!.limiter.clear();
    // So many calls would have leases.
    const calls = await Promise.all(Array.from({ length: 30 }, () => node!.limiter.allow("ann")));
    expect(calls).not.toContain(true);
    await cleared;
    expect(await node!.limiter.allow("ann")).toBe(true);
  });

  it.each([
    ["a window", fixedWindow({ limit: 1_000, window: "1h", anchor: "first-use" })],
    ["a bucket", tokenBucket({ capacity: 1_000, refill: 1, per: "1h" })],
  ])("after a reset, what another node spends of its lease and gives back of it counts: %s", async (_name, limit) => {
    const [one, other] = openNodes(started.redis, 2, [limit]);
    await allowTimes(one!, 100);
    const { asks, leased, spent } = one!.store.stats();
    await other!.limiter.reset("ann");
    const more = await allowTimes(one!, Math.floor((leased - spent) / 3));
    expect(more).toBeGreaterThan(0);
    expect(one!.store.stats().asks).toBe(asks);
    // No call asks the server before it is told what was spent.
    await one!.store.close();
    expect((await other!.limiter.explain("ann"))[0]?.used).toBeGreaterThanOrEqual(more);
  });

  it("the kill switch gives back what is held, and lets onFailure decide", async () => {
    const { store, limiter } = openNode(started.redis, [perHour(1_000)], { prefix: freshPrefix(), onFailure: "allow" });
    for (let call = 0; call < 100; call += 1) await limiter.allow("ann");
    store.bypass = true;
    expect(await limiter.consume("ann")).toMatchObject({ allowed: true, degraded: "bypassed" });
    store.bypass = false;
    const [explained] = await limiter.explain("ann");
    expect(explained?.used).toBe(100);
  });
});

describe("allowLocal", () => {
  it("takes what is leased, remembers denials, and otherwise does not know", async () => {
    const [node] = openNodes(started.redis, 1, [tokenBucket({ capacity: 100, refill: 1, per: "1h" })]);
    const { limiter, store } = node!;
    expect(limiter.allowLocal("ann")).toBeUndefined();
    let admitted = await allowTimes(node!, 50);
    const { asks } = store.stats();
    for (let call = 0; call < 200; call += 1) {
      const answer = limiter.allowLocal("ann");
      if (answer === true) admitted += 1;
      if (answer === undefined && (await limiter.allow("ann"))) admitted += 1;
    }
    expect(admitted).toBe(100);
    expect(limiter.allowLocal("ann")).toBe(false);
    expect(store.stats().asks - asks).toBeLessThan(20);
    expect(() => limiter.allowLocal("ann", -1)).toThrow("cost");
  });
});

describe('strategy: "threshold"', () => {
  const limits = [fixedWindow({ limit: 100, window: "1h", anchor: "first-use" })];

  it("asks nothing while enough is left here, then for each call", async () => {
    const node = openNode(started.redis, limits, { prefix: freshPrefix(), strategy: "threshold" });
    expect(await allowTimes(node, 75)).toBe(75);
    expect(node.store.stats().asks).toBe(0);
    expect(await allowTimes(node, 1)).toBe(1);
    // One request charges what was admitted before.
    expect(node.store.stats().asks).toBe(2);
    expect(await allowTimes(node, 100)).toBe(24);
  });

  it("a fleet admits more than the limit, which the server notices late", async () => {
    const prefix = freshPrefix();
    const options = { prefix, strategy: "threshold", threshold: 0.5 } as const;
    const [one, other] = [openNode(started.redis, limits, options), openNode(started.redis, limits, options)];
    const admitted = (await allowTimes(one, 100)) + (await allowTimes(other, 100));
    expect(admitted).toBe(150);
    const [explained] = await other.limiter.explain("ann");
    expect(explained?.used).toBe(150);
  });

  it("refunds and resets reach both counts", async () => {
    const node = openNode(started.redis, limits, { prefix: freshPrefix(), strategy: "threshold" });
    await node.limiter.consume("ann", 100);
    expect(await node.limiter.allow("ann")).toBe(false);
    await node.limiter.refund("ann", 10);
    expect(await allowTimes(node, 11)).toBe(10);
    await node.limiter.reset("ann");
    expect(await allowTimes(node, 101)).toBe(100);
  });

  it("refuses a threshold that is no part, or without its strategy", () => {
    const { client: redis } = started.redis;
    expect(() => hybridStore({ client: redis, strategy: "threshold", threshold: 2 })).toThrow(
      "threshold: expected a number",
    );
    expect(() => hybridStore({ client: redis, threshold: 0.5 })).toThrow("threshold: expected no threshold");
    expect(() => hybridStore({ client: redis, strategy: "guess" as "lease" })).toThrow("strategy: expected one of");
  });
});
