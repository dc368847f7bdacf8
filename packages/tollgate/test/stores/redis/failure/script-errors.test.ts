import { type AsyncLimiter, combine, createLimiter, perDay, TollgateError } from "tollgate";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

type Damage = (name: string) => Promise<unknown>;

const A_LIST: Damage = async (name) => {
  await inUse.redis.command("DEL", name);
  await inUse.redis.command("LPUSH", name, "x");
};
const A_TEXT: Damage = (name) => inUse.redis.command("SET", name, "hello");

/** A limiter over a store in which the value of "bad" was overwritten. */
async function damaged(damage: Damage) {
  const { redis } = inUse;
  const prefix = freshPrefix();
  const store = redis.store({ prefix, onFailure: "deny" });
  const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
  await limiter.consume("bad");
  const [name = ""] = await redis.client.keys(`${prefix}:api:*`);
  await damage(name);
  return { redis, store, limiter };
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const VERBS: readonly (readonly [string, (limiter: AsyncLimiter) => Promise<unknown>])[] = [
  ["allow", (limiter) => limiter.allow("bad")],
  ["consume", (limiter) => limiter.consume("bad")],
  ["peek", (limiter) => limiter.peek("bad")],
  ["explain", (limiter) => limiter.explain("bad")],
  ["charge", (limiter) => limiter.charge("bad", 2)],
  ["refund", (limiter) => limiter.refund("bad", 2)],
  ["allowMany", (limiter) => limiter.allowMany(["bad", "bad"], new Uint8Array(2))],
  ["a handle's allow", (limiter) => limiter.handle("bad").allow()],
  ["sweep", (limiter) => limiter.sweep()],
];

describe("a key of another application is an error, not an unavailable server", () => {
  it.each([
    ["another type", A_LIST, "WRONGTYPE"],
    ["a value of another kind", A_TEXT, "{bad}: expected a value of format 1, got"],
  ])("every verb rejects with the server's error: %s", async (_name, damage, words) => {
    const { store, limiter } = await damaged(damage);
    for (const [verb, call] of VERBS) {
      const error = await errorOf(call(limiter));
      expect(error).toBeInstanceOf(TollgateError);
      const { code, message } = error as TollgateError;
      expect([verb, code, message]).toEqual([verb, "ERR_STORE", expect.stringContaining(words)]);
    }
    expect(store.breaker).toBe("closed");
  });

  it("reset removes the foreign key", async () => {
    const { limiter } = await damaged(A_TEXT);
    await limiter.reset("bad");
    expect(await limiter.consume("bad")).toMatchObject({ allowed: true, remaining: 9 });
  });
});

describe("calls in one batch with a foreign key", () => {
  it("the other calls of the batch are decided", async () => {
    const { limiter, store } = await damaged(A_LIST);
    const keys = ["a", "b", "bad", "c", "a"];
    const told = await Promise.allSettled(keys.map((key) => limiter.consume(key, 4)));
    expect(told.map((one) => (one.status === "fulfilled" ? one.value.remaining : one.reason))).toEqual([
      6,
      6,
      expect.objectContaining({ code: "ERR_STORE" }),
      6,
      2,
    ]);
    expect((await limiter.peek("a", 0)).remaining).toBe(2);
    expect(store.breaker).toBe("closed");
  });

  it("a combination with a foreign key takes from no limit", async () => {
    const { store, limiter } = await damaged(A_LIST);
    const route = createLimiter({ name: "route", key: () => "everywhere", limits: [perDay(10)], store });
    for (const both of [combine(route, limiter), combine(limiter, route)]) {
      await expect(both.consume("bad", 3)).rejects.toMatchObject({ code: "ERR_STORE" });
    }
    expect(await route.peek("bad", 0)).toMatchObject({ remaining: 10 });
  });
});
