import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AsyncLimiter, createLimiter, fixedWindow, slidingWindow } from "../../../../src/index.ts";
import { redisStore } from "../../../../src/stores/redis/index.ts";
import { ofFile } from "../../../of-file.ts";
import { startRedis } from "../servers/start-redis.ts";
import { type ConnectedClient, EVERY_CLIENT, OLDER_CLIENTS } from "./kit/every-client.ts";

const redis = await ofFile(startRedis());

const MOST = Number.MAX_SAFE_INTEGER;

describe.each([...EVERY_CLIENT, ...OLDER_CLIENTS])("with $name", ({ connect }) => {
  let connected: ConnectedClient;
  let limiter: AsyncLimiter;
  beforeEach(async () => {
    await redis.command("FLUSHALL");
    connected = await connect(redis);
  });
  afterEach(async () => connected.close());

  it.each([
    ["a fixed window", fixedWindow],
    ["a sliding window", slidingWindow],
  ] as const)("%s counts exactly up to the last exact integer", async (_name, windowOf) => {
    const store = redisStore({ client: connected.client, warnings: false });
    limiter = createLimiter({ limits: [windowOf({ limit: MOST, window: "1d" })], store, name: "great" });
    expect(await limiter.consume("key", MOST - 60)).toMatchObject({ allowed: true, remaining: 60 });
    for (let left = 59; left >= 0; left -= 1) {
      expect(await limiter.consume("key", 1)).toMatchObject({ allowed: true, remaining: left });
    }
    expect(await limiter.peek("key", 1)).toMatchObject({ allowed: false, remaining: 0 });
    await store.close();
  });

  it("a window that was charged far beyond its capacity still denies", async () => {
    const store = redisStore({ client: connected.client, warnings: false });
    limiter = createLimiter({ limits: [fixedWindow({ limit: 5, window: "1d" })], store, name: "small" });
    for (let times = 0; times < 2; times += 1) {
      expect(await limiter.charge("key", MOST)).toMatchObject({ remaining: 0 });
      expect(await limiter.consume("key")).toMatchObject({ allowed: false, reason: "exhausted" });
    }
    await store.close();
  });
});
