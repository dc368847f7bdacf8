import { type ConnectedClient, EVERY_CLIENT, type TestClient } from "../../clients/kit/every-client.ts";
import { type RedisCluster, startCluster } from "../../servers/start-cluster.ts";
import { EVERY_MEMBER, type Fleet } from "./fleet.ts";
import { type Place, type StageOptions, stage, type Told } from "./stage.ts";

class SixNodes implements Place {
  readonly cluster: RedisCluster;

  constructor(cluster: RedisCluster) {
    this.cluster = cluster;
  }

  connect(client: TestClient): Promise<ConnectedClient> {
    return client.connectCluster(this.cluster.addresses);
  }

  connectAside(): Promise<ConnectedClient> {
    return EVERY_CLIENT[0]!.connectCluster(this.cluster.addresses);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
  }
}

/** Runs an incident in a cluster of three primaries with a replica each, under the traffic of all clients. */
export function onACluster<Result>(
  options: Partial<StageOptions>,
  happening: (place: SixNodes, fleet: Fleet) => Promise<Result>,
): () => Told<Result> {
  return stage(async () => new SixNodes(await startCluster()), { members: EVERY_MEMBER, ...options }, happening);
}
