import { onTestFinished } from "vitest";
import { ofFile } from "../../../of-file.ts";
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

/** Proxies in front of servers for all tests of a file, by the ports of the servers, and how clients find them. */
export async function proxiesOfFile(servers: readonly RedisServer[]) {
  const started = await Promise.all(
    servers.map(async (server) => [server.port, await ofFile(startProxy(server))] as const),
  );
  const detours = Object.fromEntries(started.map(([port, proxy]) => [`127.0.0.1:${port}`, proxy]));
  return { proxies: new Map(started), detours };
}
