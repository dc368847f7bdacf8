import { type ConnectedClient, EVERY_CLIENT, type TestClient } from "../../clients/kit/every-client.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import { startProxy, type TcpProxy } from "../../servers/start-proxy.ts";
import { type RedisOptions, startRedis } from "../../servers/start-redis.ts";
import { EVERY_MEMBER, type Fleet } from "./fleet.ts";
import { type Place, type StageOptions, stage, type Told } from "./stage.ts";

interface ServerOptions extends RedisOptions, Partial<StageOptions> {
  /** With `"proxies"` each client reaches the server only through its own proxy. */
  readonly by?: "proxies";
}

class OneServer implements Place {
  readonly server: RedisServer;
  readonly proxies: readonly TcpProxy[] = [];
  readonly #proxyOf = new Map<TestClient, TcpProxy>();

  constructor(server: RedisServer, proxies: readonly TcpProxy[]) {
    this.server = server;
    this.proxies = proxies;
    for (const [i, client] of EVERY_CLIENT.entries()) {
      const proxy = proxies[i];
      if (proxy !== undefined) this.#proxyOf.set(client, proxy);
    }
  }

  connect(client: TestClient): Promise<ConnectedClient> {
    return client.connect(this.#proxyOf.get(client) ?? this.server);
  }

  connectAside(): Promise<ConnectedClient> {
    return EVERY_CLIENT[0]!.connect(this.server);
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.server.stop();
  }
}

/** Runs an incident on a server under the traffic of all clients. */
export function onAServer<Result>(
  { by, members = EVERY_MEMBER, timeoutMs, ...options }: ServerOptions,
  happening: (place: OneServer, fleet: Fleet) => Promise<Result>,
): () => Told<Result> {
  const open = async (): Promise<OneServer> => {
    const server = await startRedis(options);
    const proxies = by === undefined ? [] : await Promise.all(EVERY_CLIENT.map(() => startProxy(server)));
    return new OneServer(server, proxies);
  };
  return stage(open, { members, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, happening);
}
