import { Cluster } from "ioredis";
import type { RedisStore } from "tollgate/redis";
import { afterAll, beforeAll } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { type RedisCluster, startCluster } from "../servers/start-cluster.ts";
import { openStore, type StoreOptions } from "./use-redis.ts";

/** In slots of three different primaries. */
export const KEYS_OF_THREE_PRIMARIES = ["ann", "bob!", "cid-3", "dan-44"] as const;

/** A cluster for all tests of a file, and a client of it. */
export class ClusterInUse {
  readonly client: Cluster;
  readonly #cluster: RedisCluster;

  constructor(cluster: RedisCluster, client: Cluster) {
    this.#cluster = cluster;
    this.client = client;
  }

  /** A store until the test ends, with its own prefix. */
  store(options: StoreOptions = {}): RedisStore {
    return openStore(this.client, options);
  }

  /** A store with the limiters' clocks. They stand still while the server's advances, so keys live a day longer. */
  storeByClock(options: StoreOptions = {}): RedisStore {
    return this.store({ ...BY_LIMITERS_CLOCK, ...options });
  }

  /** How often the work calls the script, on all nodes together. */
  async callsOf(work: () => Promise<unknown>): Promise<number> {
    const before = await this.#totalCalls();
    await work();
    return (await this.#totalCalls()) - before;
  }

  async stop(): Promise<void> {
    this.client.disconnect();
    await this.#cluster.stop();
  }

  async #totalCalls(): Promise<number> {
    const counts = await Promise.all(
      this.#cluster.nodes.map(async (node) => {
        const fields = await node.info("commandstats");
        return Number(/calls=(\d+)/.exec(fields.get("cmdstat_evalsha") ?? "calls=0")?.[1]);
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

/** Starts a cluster of three primaries for the tests of a file. */
export function useCluster(): { readonly cluster: ClusterInUse } {
  let inUse: ClusterInUse | undefined;
  beforeAll(async () => {
    const cluster = await startCluster({ primaries: 3, replicas: 0 });
    inUse = new ClusterInUse(cluster, new Cluster([...cluster.addresses]));
    await inUse.client.ping();
  });
  afterAll(async () => {
    await inUse?.stop();
  });
  return {
    get cluster() {
      if (inUse === undefined) throw new Error("expected a call within a test, got one before the cluster started");
      return inUse;
    },
  };
}
