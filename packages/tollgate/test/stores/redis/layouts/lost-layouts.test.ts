import { createLimiter, fixedWindow, type Limit, perDay, slidingWindow } from "tollgate";
import { redisStore } from "tollgate/redis";
import { describe, expect, it, onTestFinished } from "vitest";
import { freshPrefix, useRedis } from "../kit/use-redis.ts";

const inUse = useRedis();

const day = (capacity: number) => perDay(capacity, { name: "calls" });

/** Two processes under one prefix, of which the first has taken 3 of 10. */
async function afterThree(limits: readonly Limit[] = [day(10)]) {
  const { redis } = inUse;
  const prefix = freshPrefix();
  const old = createLimiter({ name: "api", limits, store: redis.store({ prefix, denyCache: false }) });
  const young = createLimiter({ name: "api", limits: [day(15)], store: redis.store({ prefix, denyCache: false }) });
  await old.consume("ann", 3);
  const [name] = (await redis.command("KEYS", `${prefix}:api:*`)) as [string];
  const descriptions = () => redis.command("KEYS", `${prefix}:layouts:*`) as Promise<string[]>;
  return { redis, prefix, old, young, name, descriptions };
}

describe("the descriptions of layouts", () => {
  it("they are on the server for as long as values need them, and longer", async () => {
    const { redis, descriptions } = await afterThree([
      day(10),
      slidingWindow({ name: "week", limit: 9, window: "7d" }),
    ]);
    const names = await descriptions();
    // One for the list, and one for each limit.
    expect(names).toHaveLength(3);
    const left = await Promise.all(names.map((name) => redis.command("PTTL", name)));
    expect(Math.min(...left.map(Number))).toBeGreaterThan(14 * 86_400_000);
  });

  it("there is one for each limit that a function returns, whatever limits a key has at a time", async () => {
    const { redis } = inUse;
    const prefix = freshPrefix();
    const store = redis.store({ prefix });
    const chosen = createLimiter({
      name: "chosen",
      key: () => "ann",
      limits: (names: string) => Array.from(names, (name) => perDay(10, { name })),
      store,
    });
    for (const names of ["a", "b", "ab", "c", "bc", "ac", "abc"]) await chosen.allow(names);
    expect(await redis.command("KEYS", `${prefix}:layouts:*`)).toHaveLength(3);
    expect(await chosen.explain("abc")).toMatchObject([{ used: 4 }, { used: 4 }, { used: 4 }]);
  });
});

describe("a value whose layout has no description", () => {
  it("what counts under it is used up: nothing is granted", async () => {
    const { redis, old, young, descriptions } = await afterThree();
    await redis.command("DEL", ...(await descriptions()));
    expect(await young.peek("ann")).toMatchObject({ allowed: false, remaining: 0 });
    expect(await young.consume("ann")).toMatchObject({ allowed: false, remaining: 0 });
    // The young process has written the value since, and described it.
    expect(await old.consume("ann")).toMatchObject({ allowed: false, remaining: 0 });
    expect(await young.consume("bob")).toMatchObject({ allowed: true, remaining: 14 });
  });

  it.each([
    ["is no text of limits", "[{]"],
    ["has an algorithm of another version", '[{"algorithm":"leaky-bucket","name":"calls"}]'],
    ["has other numbers", JSON.stringify([day(11)])],
    ["has numbers that no limit may have", JSON.stringify([{ ...day(10), capacity: -1 }])],
    ["is a list of nothing", "[null]"],
  ])("the same holds if the description %s", async (_what, text) => {
    const { redis, young, descriptions } = await afterThree();
    for (const name of await descriptions()) await redis.command("SET", name, text);
    expect(await young.consume("ann")).toMatchObject({ allowed: false, remaining: 0 });
  });

  it.each([
    ["an unknown head", `v2-other${"\0".repeat(24)}`],
    ["bytes that are no text", `\u0001\u0002${"\0".repeat(22)}`],
  ])("the same holds for a value of another version: %s", async (_what, value) => {
    const { redis, young, name } = await afterThree();
    await redis.command("SET", name, value, "KEEPTTL");
    expect(await young.consume("ann")).toMatchObject({ allowed: false, remaining: 0 });
    expect(await young.sweep()).toBe(0);
  });

  it.each([
    ["a value that is too short", "abc"],
    ["sections that are cut off", `........${"x".repeat(40)}`],
  ])("a value that no version writes is an error, and nothing is written: %s", async (_what, value) => {
    const { redis, young, name } = await afterThree();
    await redis.command("SET", name, value);
    await expect(young.consume("ann")).rejects.toThrow(/expected a value/);
    expect(await redis.command("GET", name)).toBe(value);
  });

  it("a sweep keeps it until it expires", async () => {
    const { redis, young, descriptions } = await afterThree();
    await redis.command("DEL", ...(await descriptions()));
    expect([await young.sweep(), await young.size()]).toEqual([0, 1]);
  });

  it("a limit in a value of several lists is used up alone", async () => {
    const { redis, prefix, old, young, descriptions } = await afterThree([
      day(10),
      fixedWindow({ name: "week", limit: 9, window: "7d" }),
    ]);
    const other = createLimiter({
      name: "api",
      limits: [perDay(7, { name: "other" })],
      store: redis.store({ prefix }),
    });
    // Makes sections of the old layout.
    await other.allow("ann");
    await redis.command("DEL", ...(await descriptions()));
    expect(await young.consume("ann")).toMatchObject({ allowed: false });
    expect(await other.consume("ann")).toMatchObject({ allowed: true, remaining: 5 });
    expect(await old.explain("ann")).toMatchObject([{ used: 15 }, { used: 3 }]);
  });
});

describe("a server that refuses descriptions", () => {
  it("calls are decided, and their own values are read", async () => {
    const { redis } = inUse;
    const prefix = freshPrefix();
    await redis.command("ACL", "SETUSER", "narrow", "on", "nopass", "+@all", `~${prefix}:api:*`);
    const client = redis.client.duplicate({ username: "narrow", password: "any" });
    const store = redisStore({ client, prefix, timeout: "10s", warnings: false, denyCache: false });
    onTestFinished(async () => {
      await store.close();
      client.disconnect();
    });
    const limiter = createLimiter({ name: "api", limits: [day(3)], store });
    const answers: boolean[] = [];
    for (let i = 0; i < 5; i += 1) answers.push((await limiter.consume("ann")).allowed);
    expect(answers).toEqual([true, true, true, false, false]);
  });
});
