import { onTestFinished } from "vitest";
import type { RedisServer } from "../../../tollgate/test/stores/redis/servers/redis-server.ts";
import { startRedis as start } from "../../../tollgate/test/stores/redis/servers/start-redis.ts";

/** Starts a Redis that is killed when the test is over. */
export async function startRedis(): Promise<RedisServer> {
  const redis = await start();
  onTestFinished(() => redis.stop());
  return redis;
}
