import { type AsyncLimiter, combine, concurrency, createLimiter, fixedWindow, perDay } from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { SlotDigits, slotOf } from "../../../../src/stores/redis/cluster-slots.ts";
import { headOf, tagOf } from "../../../../src/stores/redis/space-keys.ts";
import { KEYS_OF_THREE_PRIMARIES, useCluster } from "../kit/use-cluster.ts";
import { freshPrefix } from "../kit/use-redis.ts";
import { KeptTrace } from "./kept-trace.ts";

const inUse = useCluster();

interface Call {
  readonly user: string;
  readonly route: string;
}

/** Keys in slots of two primaries. */
const CALL = { user: KEYS_OF_THREE_PRIMARIES[0], route: KEYS_OF_THREE_PRIMARIES[1] };
const PLACES = concurrency({ name: "places", max: 2, ttl: "1h" });
const TOKENS = fixedWindow({ name: "tokens", limit: 500, window: "1d", unit: "tokens" });

function both(store: RedisStore): AsyncLimiter<Call> {
  const requests = perDay(100, { name: "requests" });
  const user = createLimiter({ name: "user", key: (call: Call) => call.user, limits: [requests, PLACES], store });
  const route = createLimiter({ name: "route", key: (call: Call) => call.route, limits: [TOKENS, PLACES], store });
  return combine(user, route);
}

/** A limiter, its store, and the store of another process. */
function pair(): readonly [AsyncLimiter<Call>, RedisStore, RedisStore, string] {
  const prefix = freshPrefix();
  const [one, other] = [inUse.cluster.store({ prefix }), inUse.cluster.store({ prefix })];
  return [both(one), one, other, prefix];
}

async function usedOf(limiter: AsyncLimiter<Call>): Promise<number[]> {
  return (await limiter.explain(CALL)).map(({ used }) => used);
}

describe("kept reservations in a cluster", () => {
  it("use what they count for, whichever processes correct them", async () => {
    const prefix = freshPrefix();
    for (let seed = 0; seed < 3; seed += 1)
      await new KeptTrace(() => inUse.cluster.storeByClock({ prefix: `${prefix}${seed}` }), seed).play(80);
  });

  it("of keys in two slots are charged, renewed and settled by another process", async () => {
    const [limiter, store, other] = pair();
    const id = await (await limiter.reserve(CALL, { requests: 3, tokens: 40 })).keep("10m");
    expect(await usedOf(limiter)).toEqual([3, 1, 40, 1]);
    expect(await other.reservation(id).charge({ requests: 1, tokens: 20 })).toBe(true);
    expect(await other.reservation(id).renew()).toBe(true);
    expect(await other.reservation(id).renew()).toBe(true);
    expect(await usedOf(limiter)).toEqual([4, 1, 60, 1]);
    expect(await other.reservation(id).settle({ requests: 1, tokens: 90 })).toBe(true);
    expect(await usedOf(limiter)).toEqual([1, 0, 90, 0]);
    expect(await store.reservation(id).cancel()).toBe(false);
    await expect(store.reservation(id).charge({ tokens: 5 })).rejects.toMatchObject({ code: "ERR_CLOSED" });
    expect(await usedOf(limiter)).toEqual([1, 0, 90, 0]);
  });

  it("of keys in two slots are ended by exactly one of several processes, and no charge is left", async () => {
    const [limiter, store, other] = pair();
    for (let round = 0; round < 15; round += 1) {
      const id = await (await limiter.reserve(CALL, { requests: 2, tokens: 10 })).keep("10m");
      const charged = other.reservation(id).charge({ requests: 1, tokens: 4 });
      const ended = await Promise.all([
        store.reservation(id).cancel(),
        other.reservation(id).settle({ requests: 0, tokens: 0 }),
        other.reservation(id).cancel(),
      ]);
      await charged.catch((error: unknown) => expect(error).toMatchObject({ code: "ERR_CLOSED" }));
      expect(ended.filter(Boolean)).toHaveLength(1);
      expect(await usedOf(limiter)).toEqual([0, 0, 0, 0]);
    }
  });

  it.each([
    ["settled", { requests: 1, tokens: 90 }, [1, 0, 90, 0]],
    ["cancelled", undefined, [0, 0, 0, 0]],
  ])("are %s by the first cost when one slot has failed and the verb is repeated", async (_how, cost, expected) => {
    const [limiter, store, other, prefix] = pair();
    const id = await (await limiter.reserve(CALL, { requests: 3, tokens: 40 })).keep("10m");
    const end = (at: RedisStore) =>
      cost === undefined ? at.reservation(id).cancel() : at.reservation(id).settle(cost);
    const row = headOf(prefix, "route") + tagOf(CALL.route);
    const { client } = inUse.cluster;
    await client.rename(row, `${row}aside`);
    await client.lpush(row, "of another program");
    await expect(end(store)).rejects.toMatchObject({ code: "ERR_STORE" });
    await client.del(row);
    await client.rename(`${row}aside`, row);
    expect(await other.reservation(id).renew()).toBe(false);
    await expect(other.reservation(id).charge({ requests: 1 })).rejects.toMatchObject({ code: "ERR_CLOSED" });
    const repeated = await Promise.all([end(other), store.reservation(id).settle({ requests: 7, tokens: 7 })]);
    expect(repeated).toEqual([false, false]);
    expect(await usedOf(limiter)).toEqual(expected);
    expect(await client.exists(`${prefix}:reservation:{${id}}`)).toBe(0);
  });

  it("are kept in the slot of their key", async () => {
    const store = inUse.cluster.store();
    const limiter = createLimiter({ name: "api", limits: [perDay(1_000)], store });
    for (let i = 0; i < 50; i += 1) {
      const id = await (await limiter.reserve(`user ${i}`)).keep("10m");
      expect(slotOf(`{${id}}`)).toBe(slotOf(`{user ${i}}`));
      expect(await store.reservation(id).settle(0)).toBe(true);
    }
  });
});

it("digits lead every text to every slot", () => {
  const digits = new SlotDigits();
  for (let slot = 0; slot < 2 ** 14; slot += 1) {
    const text = `text ${slot % 7}`;
    expect(slotOf(text + digits.to(slot, text))).toBe(slot);
  }
});
