import { concurrency, createLimiter, fixedWindow, type Limit, perHour, perMinute, tokenBucket } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { type SharedStore, sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../../kit/use-redis.ts";
import { allowTimes, type Node, openNode, openNodes } from "../kit/use-hybrid.ts";

const started = useRedis();

function shared(): SharedStore {
  return sharedStore({ maxKeys: 1_000, maxBytes: 2 ** 24 });
}

/** Threads of one process, each with a store of its own over the same memory. */
function openThreads(count: number, limits: readonly Limit[], prefix = freshPrefix(), local = shared()) {
  return Array.from({ length: count }, () => openThread(limits, prefix, local));
}

function openThread(limits: readonly Limit[], prefix: string, local: SharedStore): Node {
  const attached = sharedStore.attach(structuredClone(local.handle));
  return openNode(started.redis, limits, { prefix, local: attached });
}

function asksOf(nodes: readonly Node[]): number {
  return nodes.reduce((sum, { store }) => sum + store.stats().asks, 0);
}

/** Calls in turn. @returns how many were admitted. */
async function allowInTurn(nodes: readonly Node[], rounds: number): Promise<number> {
  let admitted = 0;
  for (let round = 0; round < rounds; round += 1) for (const node of nodes) admitted += await allowTimes(node, 1);
  return admitted;
}

describe("threads that hold leases together", () => {
  it("spend what another thread has taken", async () => {
    const [limits, prefix, local] = [[perHour(100_000)], freshPrefix(), shared()];
    const [one, other] = openThreads(2, limits, prefix, local);
    await allowTimes(one!, 300);
    expect(one!.store.stats().leased).toBeGreaterThan(300);
    expect(await other!.limiter.allow("ann")).toBe(true);
    const [third] = openThreads(1, limits, prefix, local);
    expect(third!.limiter.allowLocal("ann")).toBe(true);
    expect(third!.limiter.allowLocal("bob")).toBeUndefined();
    for (const { store } of [other!, third!]) expect(store.stats()).toMatchObject({ asks: 0, leased: 0, spent: 1 });
  });

  it("ask as often as one thread does, and less often than nodes of their own", async () => {
    const limits = [perMinute(100_000)];
    const apart = openNodes(started.redis, 4, limits);
    const together = openThreads(4, limits);
    await allowInTurn(apart, 400);
    expect(await allowInTurn(together, 400)).toBe(1_600);
    expect(asksOf(together)).toBeLessThan(asksOf(apart));
  });

  it.each([
    ["a window", [fixedWindow({ limit: 400, window: "1h", anchor: "first-use" })]],
    ["a bucket", [tokenBucket({ capacity: 400, refill: 1, per: "1h" })]],
    ["several limits", [perHour(400), fixedWindow({ limit: 500, window: "1d", name: "daily" })]],
    ["limits in another order", [fixedWindow({ limit: 500, window: "1d", name: "daily" }), perHour(400)]],
  ])("and a strict node admit a capacity together: %s", async (_name, limits) => {
    const prefix = freshPrefix();
    const nodes = openThreads(3, limits, prefix);
    const strict = createLimiter({ name: "fleet", limits, store: started.redis.store({ prefix }) });
    let admitted = 0;
    for (let round = 0; round < 4; round += 1) {
      admitted += await allowInTurn(nodes, 40);
      for (let call = 0; call < 10; call += 1) if (await strict.allow("ann")) admitted += 1;
    }
    expect(admitted).toBeLessThanOrEqual(400);
    expect(nodes.some(({ store }) => store.stats().spent > 50)).toBe(true);
    for (const { store } of nodes) await store.close();
    // What the threads gave back is left for others.
    while (await strict.allow("ann")) admitted += 1;
    expect(admitted).toBe(400);
  });

  it("lists of the same limits in another order do not mix up their units", async () => {
    const [prefix, local] = [freshPrefix(), shared()];
    const limits = [perHour(1_000), fixedWindow({ limit: 100, window: "1d", name: "daily" })];
    const one = openThread(limits, prefix, local);
    const other = openThread(limits.toReversed(), prefix, local);
    await allowTimes(one, 30);
    expect(one.limiter.allowLocal("ann")).toBe(true);
    expect(other.limiter.allowLocal("ann")).toBeUndefined();
    const admitted = 31 + (await allowTimes(one, 29)) + (await allowTimes(other, 60)) + (await allowTimes(one, 60));
    expect(admitted).toBeLessThanOrEqual(100);
    expect(admitted).toBeGreaterThan(80);
  });

  it("honour a denial that another thread was told of", async () => {
    const [limits, prefix, local] = [[tokenBucket({ capacity: 100, refill: 1, per: "1h" })], freshPrefix(), shared()];
    const [one, other] = openThreads(2, limits, prefix, local);
    expect(await allowTimes(one!, 120)).toBe(100);
    expect(other!.limiter.allowLocal("ann")).toBe(false);
    expect((await other!.limiter.consume("ann")).retryAfterMs).toBeGreaterThan(100);
    expect(other!.store.stats()).toMatchObject({ asks: 0, decidedLocally: 1 });
  });

  it("calls of several threads at once all get their answers", async () => {
    const nodes = openThreads(4, [perHour(300)]);
    const calls = Array.from({ length: 400 }, (_, call) => nodes[call % 4]!.limiter.allow("ann"));
    const admitted = (await Promise.all(calls)).filter(Boolean).length;
    expect(admitted).toBeLessThanOrEqual(300);
    expect(admitted).toBeGreaterThan(250);
  });

  it("a reset recalls the leases of all threads", async () => {
    const [one, other] = openThreads(2, [perHour(100)]);
    expect(await allowInTurn([one!, other!], 51)).toBe(100);
    await other!.limiter.reset("ann");
    // The first thread remembers that little was left.
    expect(await allowTimes(other!, 101)).toBe(100);
  });

  it("closing one thread gives back what it knows of, and the others go on", async () => {
    const prefix = freshPrefix();
    const [one, other] = openThreads(2, [perHour(10_000)], prefix);
    let admitted = await allowInTurn([one!, other!], 150);
    await one!.store.close();
    admitted += await allowTimes(other!, 100);
    await other!.store.close();
    const strict = createLimiter({ name: "fleet", limits: [perHour(10_000)], store: started.redis.store({ prefix }) });
    const [explained] = await strict.explain("ann");
    expect(explained?.used).toBe(admitted);
  });

  it("without words for another key, its calls ask the server", async () => {
    const local = sharedStore({ maxKeys: 8, maxBytes: 2 ** 24 });
    const [node] = openThreads(1, [perHour(10_000)], freshPrefix(), local);
    for (let key = 0; key < 12; key += 1) {
      for (let call = 0; call < 50; call += 1) expect(await node!.limiter.allow(`key ${key}`)).toBe(true);
    }
    const { asks, leased } = node!.store.stats();
    expect(leased).toBeGreaterThan(8 * 40);
    // The last four keys have no leases.
    expect(asks).toBeGreaterThan(4 * 50);
    expect(asks).toBeLessThan(8 * 30 + 4 * 50);
    expect((await node!.limiter.explain("key 0"))[0]?.lease).toMatchObject({ how: "leased" });
    expect((await node!.limiter.explain("key 11"))[0]?.lease).toEqual({ how: "strict", why: "no memory" });
    expect((await node!.limiter.explain("key 12"))[0]?.lease).toEqual({ how: "strict", why: "little demand" });
  });

  it("without words for the places of another key, its calls ask the server, and explain says why", async () => {
    const local = sharedStore({ maxKeys: 7, maxBytes: 2 ** 24 });
    const [node] = openThreads(1, [concurrency({ max: 400, ttl: "1h" })], freshPrefix(), local);
    const keys = Array.from({ length: 8 }, (_, key) => `key ${key}`);
    for (const key of keys) for (let call = 0; call < 20; call += 1) await node!.limiter.reserve(key);
    const leases = await Promise.all(keys.map(async (key) => (await node!.limiter.explain(key))[0]?.lease));
    // Each key takes words for requests, and words for places. The fourth one finds the former only.
    expect(leases.filter((lease) => lease?.how === "leased" && lease.held > 0)).toHaveLength(3);
    expect(leases.filter((lease) => lease?.how === "strict" && lease.why === "no memory")).toHaveLength(5);
  });

  it("explain has what another thread took", async () => {
    const [one, other] = openThreads(2, [perHour(100_000)]);
    await allowTimes(one!, 300);
    const [taken] = await one!.limiter.explain("ann");
    const [seen] = await other!.limiter.explain("ann");
    const { leased, spent, returned } = one!.store.stats();
    for (const status of [taken, seen]) {
      expect(status?.lease).toMatchObject({ how: "leased", held: leased - spent - returned });
    }
  });

  it("lists of more than four limits are leased by each thread", async () => {
    const limits = [1, 2, 3, 4, 5].map((n) =>
      tokenBucket({ capacity: 1_000 * n, refill: 1, per: "1h", name: `n${n}` }),
    );
    const [one, other] = openThreads(2, limits);
    expect(await allowInTurn([one!, other!], 200)).toBe(400);
    expect(one!.store.stats().spent).toBeGreaterThan(100);
    expect(other!.store.stats().leased).toBeGreaterThan(100);
  });
});

describe("the option local", () => {
  it("takes a shared store only, and leases", () => {
    const { client: redis } = started.redis;
    const local = shared();
    expect(() => hybridStore({ redis, local: {} as SharedStore })).toThrow("local: expected a sharedStore");
    expect(() => hybridStore({ redis, local, strategy: "threshold" })).toThrow("local: expected no store");
    const tiny = sharedStore({ maxKeys: 1_000_000, maxBytes: 2 ** 23 });
    expect(() => hybridStore({ redis, local: tiny })).toThrow("limits: expected room in the shared store");
  });

  it("takes a store that counts for limiters of the process as well", async () => {
    const local = shared();
    const [node] = openThreads(1, [perHour(10_000)], freshPrefix(), local);
    // Enough keys that some lie at the beginning of the leases' memory.
    const names = Array.from({ length: 150 }, (_, key) => `key ${key}`);
    for (const name of names) for (let call = 0; call < 8; call += 1) await node!.limiter.allow(name);
    expect(node!.store.stats().spent).toBeGreaterThan(names.length);
    const limiter = createLimiter({ name: "api", limits: [perHour(1)], store: local });
    for (let key = 0; key < 900; key += 1) expect(limiter.allow(`key ${key}`)).toBe(true);
    expect(local.size).toBe(900);
  });
});
