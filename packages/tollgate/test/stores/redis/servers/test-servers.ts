import { onTestFinished } from "vitest";
import type { RedisServer } from "./redis-server.ts";
import { startProxy, type TcpProxy } from "./start-proxy.ts";
import { type RedisOptions, startRedis } from "./start-redis.ts";

/** A server until the test ends. */
export async function startRedisHere(options?: RedisOptions): Promise<RedisServer> {
  const redis = await startRedis(options);
  onTestFinished(() => redis.stop());
  return redis;
}

/** A proxy until the test ends. */
export async function startProxyHere(target: { readonly port: number }): Promise<TcpProxy> {
  const proxy = await startProxy(target);
  onTestFinished(() => proxy.stop());
  return proxy;
}
