import clusterKeySlot from "cluster-key-slot";
import fc from "fast-check";
import { createLimiter, type Limit, perDay, perHour, slidingWindow } from "tollgate";
import type { RedisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();

/** The names of all keys on the server with this beginning, as bytes. */
async function namesUnder(head: string): Promise<string[]> {
  const names = await inUse.redis.client.keysBuffer(`${head.replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}*`);
  return names.map((name) => name.toString("latin1")).toSorted();
}

/** Creates one key. */
async function touch(store: RedisStore, name: string, limits: readonly Limit[], key: string): Promise<void> {
  await createLimiter({ name, limits, store }).allow(key);
}

function tagOf(name: string): string | undefined {
  const opening = name.indexOf("{");
  const closing = name.indexOf("}", opening + 1);
  return opening !== -1 && closing > opening + 1 ? name.slice(opening + 1, closing) : undefined;
}

const ODD_KEYS: readonly string[] = [
  ...["", " ", "}", "}x", "{", "{}", "{}x", "{a}", "a}", "a}b", "a{b", "{a}b", "}{", "a}#", "#", "__proto__"],
  ...["\0", "a\0b", "a", "A", "\n", "\r\n", "*", "?", "[a]", "\\", '"', "é", "e\u0301", "\uFEFF", "\uFFFD"],
  ...["😀", "👩‍👩‍👧", "\uD83D", "\uDE00", "\uDE00\uD83D", "a\uD800", "a\uD801", "\uD800a", "ann:{bob}", "a:b", ":"],
  ...["x".repeat(256), "x".repeat(257), "x".repeat(258), `${"x".repeat(257)}y`, "😀".repeat(128), "😀".repeat(129)],
  ...["\uD800".repeat(300), "\uD801".repeat(300), "1".repeat(100_000), `${"1".repeat(99_999)}2`],
];

describe("the name of a key", () => {
  it("a name has the prefix, the limiter, a digest of its name, and the key as the hash tag", async () => {
    const store = inUse.redis.store({ prefix: freshPrefix() });
    const prefix = freshPrefix();
    await touch(store, "api", [perDay(5)], "ann");
    await touch(inUse.redis.store({ prefix }), "api", [perDay(5)], "ann");
    expect(await namesUnder(prefix)).toEqual([
      expect.stringMatching(new RegExp(`^${prefix}:api:[\\w-]{12}:\\{ann\\}$`)),
    ]);
  });

  it("odd keys have different names, all with a hash tag", async () => {
    const prefix = freshPrefix();
    const limiter = createLimiter({ name: "odd", limits: [perDay(2)], store: inUse.redis.store({ prefix }) });
    for (const times of [1, 1]) {
      const allowed = await Promise.all(ODD_KEYS.map((key) => limiter.allow(key, times)));
      expect(allowed.every(Boolean)).toBe(true);
    }
    expect(await Promise.all(ODD_KEYS.map((key) => limiter.allow(key)))).toEqual(ODD_KEYS.map(() => false));
    const names = await namesUnder(prefix);
    expect(new Set(names).size).toBe(ODD_KEYS.length);
    expect(names.filter((name) => tagOf(name) === undefined)).toEqual([]);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThan(600);
    expect(await limiter.size()).toBe(ODD_KEYS.length);
  });

  it("the name of an odd key differs from that of the key that equals its digest", async () => {
    const prefix = freshPrefix();
    const limiter = createLimiter({ name: "odd", limits: [perDay(1)], store: inUse.redis.store({ prefix }) });
    for (const key of ["", "}", "\uD800", "x".repeat(300)]) {
      await limiter.allow(key);
      const [name = ""] = await namesUnder(prefix);
      const lookalike = tagOf(name)!;
      for (const other of [lookalike, `${lookalike}}#`, `${lookalike}#`]) {
        expect([key, other, await limiter.allow(other)]).toEqual([key, other, true]);
      }
      await limiter.clear();
    }
  });

  it("a name differs for each prefix, limiter and key, and for no list of limits", async () => {
    const prefixes = fc.constantFrom("tga", "tga:b", "tga:b:c", "tga:");
    const limiters = fc.constantFrom("b", "b:c", "c", "b:c:c", ":", "::", "b*", "[b]", "b ");
    const limits = fc.constantFrom([perDay(5)], [perDay(6)], [perDay(7, { name: "n" })], [perDay(5), perHour(2)]);
    const keys = fc.oneof(fc.constantFrom(...ODD_KEYS.slice(0, 30)), fc.string({ maxLength: 4 }));
    const quadruple = fc.tuple(prefixes, limiters, limits, keys);
    const given = fc.sample(quadruple, { numRuns: 400, seed: 7 });
    const identity = ([prefix, limiter, , key]: (typeof given)[number]) => JSON.stringify([prefix, limiter, key]);
    const stores = new Map(
      ["tga", "tga:b", "tga:b:c", "tga:"].map((prefix) => [prefix, inUse.redis.store({ prefix })]),
    );
    await Promise.all(given.map(([prefix, limiter, list, key]) => touch(stores.get(prefix)!, limiter, list, key)));
    expect(await namesUnder("tga")).toHaveLength(new Set(given.map(identity)).size);
  });

  it("size and clear find the keys of their own limiter only, whatever characters its name has", async () => {
    const store = inUse.redis.store();
    const names = ["a", "a*", "a?", "[a]", "a b", "a:b", "^a", "a-z"];
    const limiters = names.map((name) => createLimiter({ name, limits: [perDay(5)], store }));
    await Promise.all(limiters.map((limiter) => limiter.allow("ann")));
    await limiters[1]!.clear();
    expect(await Promise.all(limiters.map((limiter) => limiter.size()))).toEqual([1, 0, 1, 1, 1, 1, 1, 1]);
  });
});

describe("the keys of one user", () => {
  it("the keys of one user share a slot for all limiters and limits", async () => {
    const prefix = freshPrefix();
    const store = inUse.redis.store({ prefix });
    for (const key of ODD_KEYS.filter(({ length }) => length < 1_000)) {
      const before = await namesUnder(prefix);
      await Promise.all([
        touch(store, "a", [perDay(5)], key),
        touch(store, "b:c", [perHour(5), perDay(5)], key),
        touch(store, "d e", [slidingWindow({ limit: 5, window: "1h" })], key),
      ]);
      const fresh = (await namesUnder(prefix)).filter((name) => !before.includes(name));
      expect(fresh).toHaveLength(3);
      const slots = fresh.map((name) => clusterKeySlot(Buffer.from(name, "latin1")));
      expect([key, new Set(slots).size]).toEqual([key, 1]);
    }
  });
});
