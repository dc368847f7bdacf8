import { type AsyncReservation, concurrency, createLimiter, fixedWindow } from "tollgate";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { type Node, openNode, openNodes } from "./kit/use-hybrid.ts";

const started = useRedis();

const MAX = 200;
const streams = [concurrency({ name: "streams", max: MAX, ttl: "1h" })];

/** Reserves one after another. @returns the reservations that are open. */
async function reserveTimes({ limiter }: Pick<Node, "limiter">, times: number) {
  const open: AsyncReservation[] = [];
  for (let call = 0; call < times; call += 1) {
    const reservation = await limiter.reserve("ann");
    if (reservation.decision.allowed) open.push(reservation);
  }
  return open;
}

/** Reserves and settles one after another. @returns how many were admitted. */
async function workTimes({ limiter }: Pick<Node, "limiter">, times: number): Promise<number> {
  let admitted = 0;
  for (let call = 0; call < times; call += 1) {
    const reservation = await limiter.reserve("ann");
    if (reservation.decision.allowed) admitted += 1;
    await reservation.settle(1);
  }
  return admitted;
}

describe("places in advance", () => {
  it("most reservations begin and end without the server", async () => {
    const [node] = openNodes(started.redis, 1, streams);
    expect(await workTimes(node!, 1_000)).toBe(1_000);
    const { asks, decidedLocally } = node!.store.stats();
    expect(asks).toBeLessThan(40);
    expect(decidedLocally).toBeGreaterThan(970);
  });

  it("three nodes and a strict one hold no more places than there are, and all that there are", async () => {
    const prefix = freshPrefix();
    const nodes = openNodes(started.redis, 3, streams, prefix);
    const strict = createLimiter({ name: "fleet", limits: streams, store: started.redis.store({ prefix }) });
    const open: AsyncReservation[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const node of nodes) open.push(...(await reserveTimes(node, 15)));
      open.push(...(await reserveTimes({ limiter: strict }, 5)));
    }
    for (const node of nodes) open.push(...(await reserveTimes(node, MAX)));
    expect(open.length).toBeGreaterThan(150);
    expect(nodes.every(({ store }) => store.stats().spent > 20)).toBe(true);
    // Free places of nodes are left for others when these give them back.
    for (const { store } of nodes) store.bypass = true;
    open.push(...(await reserveTimes({ limiter: strict }, MAX)));
    expect(open).toHaveLength(MAX);
    for (const { store } of nodes) store.bypass = false;
    for (const reservation of open) await reservation.cancel();
    for (const { limiter } of nodes) await limiter.explain("ann");
    expect((await strict.explain("ann"))[0]?.used).toBe(0);
  });

  it("of many calls at once, so many are admitted as there are places", async () => {
    const [node] = openNodes(started.redis, 1, streams);
    for (let round = 0; round < 3; round += 1) {
      const all = await Promise.all(Array.from({ length: 2_000 }, () => node!.limiter.reserve("ann")));
      const open = all.filter(({ decision }) => decision.allowed);
      expect(open).toHaveLength(MAX);
      expect((await node!.limiter.explain("ann"))[0]?.used).toBe(MAX);
      await Promise.all(open.map((reservation) => reservation.settle(1)));
    }
  });

  it("explain counts the places that calls hold", async () => {
    const [node] = openNodes(started.redis, 1, streams);
    const open = await reserveTimes(node!, 60);
    const used = async () => (await node!.limiter.explain("ann"))[0]?.used;
    expect(await used()).toBe(60);
    for (const reservation of open.splice(0, 30)) await reservation.settle(1);
    expect(await used()).toBe(30);
    for (const reservation of open) await reservation.settle(1);
    expect(await used()).toBe(0);
  });

  it("places and units are taken together or not at all", async () => {
    const limits = [...streams, fixedWindow({ limit: 300, window: "1h", unit: "tokens", anchor: "first-use" })];
    const [node] = openNodes(started.redis, 1, limits);
    const { limiter, store } = node!;
    const open = await reserveTimes(node!, 100);
    expect(open).toHaveLength(100);
    expect(store.stats().decidedLocally).toBeGreaterThan(50);
    expect((await limiter.reserve("ann", 201)).decision.allowed).toBe(false);
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([100, 100]);
    for (const reservation of open) await reservation.settle(1);
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([0, 100]);
  });

  it("a reservation of several places", async () => {
    const [node] = openNodes(started.redis, 1, streams);
    await workTimes(node!, 50);
    const many = await node!.limiter.reserve("ann", 150);
    const few = await node!.limiter.reserve("ann", 3);
    expect(many.decision.allowed && few.decision.allowed).toBe(true);
    expect(await many.renew()).toBe(true);
    expect(await few.renew()).toBe(true);
    expect((await node!.limiter.reserve("ann", 48)).decision.allowed).toBe(false);
    await few.cancel();
    await many.cancel();
    expect((await node!.limiter.explain("ann"))[0]?.used).toBe(0);
  });
});

describe("operators", () => {
  it("reset forgets the places that calls hold", async () => {
    const [node] = openNodes(started.redis, 1, streams);
    const open = await reserveTimes(node!, MAX);
    expect(open).toHaveLength(MAX);
    await node!.limiter.reset("ann");
    expect(await open[MAX - 1]!.renew()).toBe(false);
    for (const reservation of open.splice(0, 50)) await reservation.settle(1);
    expect(await reserveTimes(node!, MAX + 1)).toHaveLength(MAX);
    await open[0]!.settle(1);
    expect(await reserveTimes(node!, 1)).toHaveLength(0);
  });

  it("a block denies at once, though places are free, and calls in progress keep theirs", async () => {
    const [node] = openNodes(started.redis, 1, streams);
    const open = await reserveTimes(node!, 50);
    await node!.limiter.block("ann", "1h");
    await open[0]!.settle(1);
    expect((await node!.limiter.reserve("ann")).decision).toMatchObject({ allowed: false, reason: "blocked" });
    expect(await open[49]!.renew()).toBe(true);
    expect((await node!.limiter.reserve("ann")).decision.allowed).toBe(false);
    await node!.limiter.unblock("ann");
    expect((await node!.limiter.reserve("ann")).decision.allowed).toBe(true);
    expect((await node!.limiter.explain("ann"))[0]?.used).toBe(50);
  });

  it("under the kill switch, places are freed all the same", async () => {
    const options = { prefix: freshPrefix(), onFailure: "allow" } as const;
    const node = openNode(started.redis, streams, options);
    const open = await reserveTimes(node, 50);
    node.store.bypass = true;
    for (const reservation of open) await reservation.settle(1);
    node.store.bypass = false;
    // Those that the server gave to calls stay taken.
    expect((await node.limiter.explain("ann"))[0]?.used).toBeLessThan(20);
  });

  it("a change of limits counts what is leased", async () => {
    const prefix = freshPrefix();
    const [before] = openNodes(started.redis, 1, streams, prefix);
    const open = await reserveTimes(before!, 100);
    const [after] = openNodes(started.redis, 1, [concurrency({ name: "streams", max: 120, ttl: "2h" })], prefix);
    const more = await reserveTimes(after!, 100);
    expect(open.length + more.length).toBeLessThanOrEqual(120);
    expect(more.length).toBeGreaterThan(0);
    for (const reservation of open) await reservation.settle(1);
    await before!.store.close();
    // A node that got no place asks again after a pause.
    await expect.poll(async () => more.push(...(await reserveTimes(after!, 120)))).toBe(120);
  });
});
