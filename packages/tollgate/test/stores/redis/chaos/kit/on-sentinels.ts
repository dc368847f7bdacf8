import { type ConnectedClient, EVERY_CLIENT, type TestClient } from "../../clients/kit/every-client.ts";
import { type RedisSentinel, startSentinel } from "../../servers/start-sentinel.ts";
import { EVERY_MEMBER, type Fleet } from "./fleet.ts";
import { type Place, stage, type Told } from "./stage.ts";

class WatchedPair implements Place {
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

  async stop(): Promise<void> {
    await this.all.stop();
  }
}

/**
 * Runs an incident on a primary and a replica under Sentinels, with the traffic of all clients that support Sentinels.
 */
export function onSentinels<Result>(
  happening: (place: WatchedPair, fleet: Fleet) => Promise<Result>,
): () => Told<Result> {
  const members = EVERY_MEMBER.filter(([{ connectSentinel }]) => connectSentinel !== undefined);
  return stage(async () => new WatchedPair(await startSentinel()), { members }, happening);
}
