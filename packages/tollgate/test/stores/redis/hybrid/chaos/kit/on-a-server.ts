import type { ConnectedClient, TestClient } from "../../../clients/kit/every-client.ts";
import type { RedisServer } from "../../../servers/redis-server.ts";
import { startProxy, type TcpProxy } from "../../../servers/start-proxy.ts";
import { startRedis } from "../../../servers/start-redis.ts";
import { type Place, type Told, underTraffic } from "./incident-run.ts";
import type { NodeLane } from "./node-lane.ts";

const NODES = 3;

class OneServer implements Place {
  readonly server: RedisServer;
  /** Each node reaches the server through its own. */
  readonly proxies: readonly TcpProxy[];

  constructor(server: RedisServer, proxies: readonly TcpProxy[]) {
    this.server = server;
    this.proxies = proxies;
  }

  connect(client: TestClient, node: number): Promise<ConnectedClient> {
    return client.connect(this.proxies[node]!);
  }

  async primary(): Promise<RedisServer> {
    return this.server;
  }

  async stop(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.stop()));
    await this.server.stop();
  }
}

/** Runs an incident on one server under the traffic of nodes. `args` are those of redis-server. */
export function onAServer<Result>(
  args: readonly string[],
  happening: (place: OneServer, nodes: readonly NodeLane[]) => Promise<Result>,
): () => Told<Result> {
  const open = async (): Promise<OneServer> => {
    const server = await startRedis({ args });
    return new OneServer(server, await Promise.all(Array.from({ length: NODES }, () => startProxy(server))));
  };
  return underTraffic(open, happening);
}
