import { createLimiter, memoryStore, perSecond } from "tollgate";
import { type RedisStoreOptions, redisStore } from "tollgate/redis";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../error-of.ts";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();

/** The error of these options, for unchecked JavaScript. */
function optionErrorOf(options: object, expectedCode = "ERR_OPTION"): string {
  const { code, message } = errorOf(() => redisStore({ client: inUse.redis.client, ...options }));
  expect(code).toBe(expectedCode);
  return message;
}

const PREFIX = String.raw`prefix: expected 1 to 64 characters of ASCII without spaces, braces and *?[]^\, got `;
const DURATION = 'expected whole milliseconds or text such as "250ms" or "5s"';
const TIMEOUT = `timeout: ${DURATION}, from 1ms to 1h, got `;
const CONNECT_TIMEOUT = `connectTimeout: ${DURATION}, from 0 to 1h, got `;
const BATCH = "batch: expected true, false or a number of keys from 1 to 1024, got ";
const DENY_CACHE = "denyCache: expected true, false or a number of keys from 1 to 10000000, got ";
const FAILURE = 'onFailure: expected "allow", "deny", "throw" or { fallback, share }, got ';
const FALLBACK = "onFailure.fallback: expected a store in this process, such as memoryStore(), got ";
const SHARE = "onFailure.share: expected a number above 0 and at most 1, got ";
const OBSERVE = "observe: expected a function that is given observations, got ";

describe("a wrong option throws with the expected and the actual value", () => {
  it.each<[object, string]>([
    [{ prefix: "" }, `${PREFIX}""`],
    [{ prefix: "a*" }, `${PREFIX}"a*"`],
    [{ prefix: "a\\" }, String.raw`${PREFIX}"a\\"`],
    [{ prefix: "é" }, `${PREFIX}"é"`],
    [{ prefix: "a".repeat(65) }, `${PREFIX}"${"a".repeat(65)}"`],
    [{ batch: 0 }, `${BATCH}0`],
    [{ batch: "all" }, `${BATCH}"all"`],
    [{ denyCache: 10_000_001 }, `${DENY_CACHE}10000001`],
    [{ onFailure: "close" }, `${FAILURE}"close"`],
    [{ onFailure: {} }, `${FALLBACK}undefined`],
    [{ onFailure: { fallback: "memory", share: 1 } }, `${FALLBACK}"memory"`],
    [{ onFailure: { fallback: memoryStore() } }, `${SHARE}undefined`],
    [{ onFailure: { fallback: memoryStore(), share: 0 } }, `${SHARE}0`],
    [{ observe: "loudly" }, `${OBSERVE}"loudly"`],
    [{ warnings: "off" }, 'warnings: expected true or false, got "off"'],
  ])("the options %o throw", (options, message) => {
    expect(optionErrorOf(options)).toBe(message);
  });

  it.each<[object, string]>([
    [{ timeout: 0 }, `${TIMEOUT}0`],
    [{ timeout: "2h" }, `${TIMEOUT}"2h"`],
    [{ connectTimeout: -1 }, `${CONNECT_TIMEOUT}-1`],
  ])("the durations %o throw", (options, message) => {
    expect(optionErrorOf(options, "ERR_DURATION")).toBe(message);
  });

  it("an unknown option throws", () => {
    expect(optionErrorOf({ timeoutMs: 5 })).toBe('redisStore: unknown option "timeoutMs"; did you mean "timeout"?');
    expect(optionErrorOf({ onFailur: "deny" })).toBe(
      'redisStore: unknown option "onFailur"; did you mean "onFailure"?',
    );
    expect(optionErrorOf({ onFailure: { fallbck: memoryStore(), share: 1 } })).toBe(
      'onFailure: unknown option "fallbck"; did you mean "fallback"?',
    );
    expect(optionErrorOf({ onFailure: { fallback: memoryStore(), share: 1, timeout: 5 } })).toBe(
      'onFailure: unknown option "timeout"; expected fallback, share',
    );
  });

  it.each<[unknown, string]>([
    [undefined, "undefined"],
    [null, "null"],
  ])("options that are %o throw", (options, shown) => {
    const { code, message } = errorOf(() => redisStore(options as RedisStoreOptions));
    const expected = `redisStore: expected an object of options, got ${shown}; write { client }`;
    expect([code, message]).toEqual(["ERR_OPTION", expected]);
  });

  it.each(["redis://ann:secret@127.0.0.1", new URL("redis://ann:secret@127.0.0.1")])(
    "an address in place of options throws, and does not show its password: %o",
    (address) => {
      const { code, message } = errorOf(() => redisStore(address as never));
      const expected = "redisStore: expected options, got an address; write redisStore({ client: new Redis(address) })";
      expect([code, message]).toEqual(["ERR_OPTION", expected]);
    },
  );
});

describe("a value that is no client throws", () => {
  it.each<[unknown, string]>([
    [undefined, "undefined"],
    [null, "null"],
    [{}, "an object"],
    [{ get: () => {}, set: () => {} }, "an object"],
  ])("the client %o throws", (client, shown) => {
    expect(optionErrorOf({ client })).toBe(
      `client: expected a client of ioredis, redis, iovalkey, @valkey/valkey-glide or @upstash/redis, or { sendCommand }, got ${shown}; ` +
        "write client: new Redis(address)",
    );
  });
});

describe("an option at its bound is accepted", () => {
  it.each<object>([
    { prefix: "a" },
    { prefix: "rate-limits:eu/west|1~!#$%&'()+,-./:;<=>@_`.".replaceAll("`", "") },
    { prefix: "a".repeat(64) },
    { timeout: 1 },
    { timeout: "1h" },
    { connectTimeout: 0 },
    { connectTimeout: "1m30s" },
    { timeout: undefined, connectTimeout: undefined, warnings: undefined },
    { batch: 1 },
    { batch: 1_024 },
    { batch: false },
    { denyCache: 1 },
    { denyCache: 10_000_000 },
    { onFailure: { fallback: memoryStore(), share: 1 } },
    { onFailure: { fallback: memoryStore(), share: Number.MIN_VALUE } },
    { prefix: undefined, batch: undefined, denyCache: undefined, observe: undefined },
  ])("the options %o are accepted", async (options) => {
    const store = redisStore({ client: inUse.redis.client, ...options });
    expect(store).toMatchObject({ kind: "async", bypass: false, breaker: "closed" });
    await store.close();
  });
});

describe("createLimiter throws for a limiter that the store does not support", () => {
  it("a limiter without a name throws", () => {
    const store = inUse.redis.store();
    const { code, message } = errorOf(() => createLimiter({ limits: [perSecond(1)], store }));
    expect(code).toBe("ERR_NAME");
    expect(message).toBe("name: expected a name, by which all nodes know the limiter, got undefined");
  });
});
