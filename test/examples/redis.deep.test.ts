import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RedisServer } from "../../packages/tollgate/test/stores/redis/servers/redis-server.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { Examples, expectPromisedOutput, needsRedis } from "./examples.ts";

const examples = new Examples(needsRedis);

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
  vi.stubEnv("REDIS_URL", `redis://127.0.0.1:${redis.port}`);
  examples.write();
});

afterAll(async () => {
  examples.remove();
  vi.unstubAllEnvs();
  await redis.stop();
});

describe("examples in TypeScript that connect to Redis", () => {
  it("are found", () => {
    expect(examples.list.length).toBeGreaterThan(2);
  });

  it.each(examples.list)("print what they say: $place", expectPromisedOutput);
});
