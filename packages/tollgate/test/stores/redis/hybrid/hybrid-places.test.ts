import { type AsyncReservation, concurrency, fixedWindow } from "tollgate";
import { expect, it } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";
import { allowTimes, type Node, openNodes } from "./kit/use-hybrid.ts";

const started = useRedis();

const MAX = 200;
const streams = concurrency({ name: "streams", max: MAX, ttl: "1h" });
const daily = fixedWindow({ name: "daily", limit: 10_000, window: "1d", anchor: "first-use" });

/** Reserves one after another. @returns the reservations that are open. */
async function reserveTimes({ limiter }: Pick<Node, "limiter">, times: number): Promise<AsyncReservation[]> {
  const open: AsyncReservation[] = [];
  for (let call = 0; call < times; call += 1) {
    const reservation = await limiter.reserve("ann");
    if (reservation.decision.allowed) open.push(reservation);
  }
  return open;
}

it("a list with a limit on concurrency asks the server for each call, its windows included", async () => {
  const [node] = openNodes(started.redis, 1, [streams, daily]);
  const open = await reserveTimes(node!, 50);
  expect(node!.store.stats()).toMatchObject({ asks: 50, leased: 0, decidedLocally: 0 });
  expect(node!.limiter.allowLocal("ann")).toBeUndefined();
  expect(await open[0]!.renew()).toBe(true);
  for (const reservation of open) await reservation.settle(1);
  expect(node!.store.stats()).toMatchObject({ asks: 101, leased: 0 });
  expect((await node!.limiter.explain("ann")).map(({ used }) => used)).toEqual([0, 50]);
});

it("a list of the same limiter without places is leased, and both count under their common limit", async () => {
  const prefix = freshPrefix();
  const [leased] = openNodes(started.redis, 1, [daily], prefix);
  const [beside] = openNodes(started.redis, 1, [daily, streams], prefix);
  expect(await allowTimes(leased!, 300)).toBe(300);
  expect(leased!.store.stats().leased).toBeGreaterThan(0);
  await reserveTimes(beside!, 20);
  await leased!.store.close();
  expect((await beside!.limiter.explain("ann"))[0]?.used).toBe(320);
});
