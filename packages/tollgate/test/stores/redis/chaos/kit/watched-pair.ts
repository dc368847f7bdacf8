import { type ConnectedClient, EVERY_CLIENT, type TestClient } from "../../clients/kit/every-client.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import type { RedisSentinel } from "../../servers/start-sentinel.ts";

/** A primary and its replica under Sentinels, as clients that know Sentinels see them. */
export class WatchedPair {
  readonly all: RedisSentinel;

  constructor(all: RedisSentinel) {
    this.all = all;
  }

  connect({ connectSentinel, name }: TestClient): Promise<ConnectedClient> {
    if (connectSentinel === undefined) throw new Error(`expected a client that knows Sentinels, got ${name}`);
    return connectSentinel(this.all.addresses, this.all.name);
  }

  connectAside(): Promise<ConnectedClient> {
    return this.connect(EVERY_CLIENT[0]!);
  }

  primary(): Promise<RedisServer> {
    return this.all.primary();
  }

  stop(): Promise<void> {
    return this.all.stop();
  }
}
