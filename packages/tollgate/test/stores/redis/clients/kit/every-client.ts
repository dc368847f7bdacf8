import { GlideClient, GlideClusterClient, Logger } from "@valkey/valkey-glide";
import { Redis as Ioredis, Cluster as IoredisCluster } from "ioredis";
import { Redis as Ioredis5, Cluster as Ioredis5Cluster } from "ioredis-5";
import { Redis as Iovalkey, Cluster as IovalkeyCluster } from "iovalkey";
import { createClient, createCluster, createSentinel } from "redis";
import { createClient as createClient4, createCluster as createCluster4 } from "redis-4";
import {
  createClient as createClient5,
  createCluster as createCluster5,
  createSentinel as createSentinel5,
} from "redis-5";
import type { IoredisStoreClient, NodeRedisStoreClient, StoreClient } from "tollgate/redis";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** By `host:port` of a node the address that clients use: for proxies in front of a cluster. */
export type Detours = Readonly<Record<string, Address>>;

/** A connected client, as applications have it. */
export interface ConnectedClient {
  readonly client: StoreClient;
  /** Disconnects immediately. Idempotent. */
  close(): Promise<void>;
}

export interface TestClient {
  readonly name: string;
  connect(address: Address): Promise<ConnectedClient>;
  connectCluster(addresses: readonly Address[], detours?: Detours): Promise<ConnectedClient>;
  /** `undefined` for clients without Sentinel support. */
  readonly connectSentinel?: (
    sentinels: readonly Address[],
    name: string,
    detours?: Detours,
  ) => Promise<ConnectedClient>;
}

/** The retry interval of clients, short because tests wait for it. */
const RETRY_MS = 50;
/** Glide's timeout of a call. It is longer than that of the store. */
const GLIDE_REQUEST_TIMEOUT_MS = 250;

function ignore(): void {}

/** The common part of ioredis 5 and 6 and iovalkey. */
interface IoredisLike extends IoredisStoreClient {
  on(event: "error", listener: () => void): unknown;
  ping(): Promise<unknown>;
  disconnect(): void;
}

async function connectedIoredis(client: IoredisLike): Promise<ConnectedClient> {
  client.on("error", ignore);
  await client.ping();
  return { client, close: async () => client.disconnect() };
}

/** The common part of all versions and flavours of redis. */
interface NodeRedisLike extends NodeRedisStoreClient {
  on(event: "error", listener: () => void): unknown;
  destroy?(): unknown;
  disconnect?(): Promise<void>;
}

async function connectedNodeRedis(client: NodeRedisLike): Promise<ConnectedClient> {
  client.on("error", ignore);
  await client.connect();
  return {
    client,
    close: async () => {
      if (!client.isOpen) return;
      if (client.destroy === undefined) await client.disconnect?.();
      else await client.destroy();
    },
  };
}

const retrySoon = { retryStrategy: () => RETRY_MS };
const retryClusterSoon = { clusterRetryStrategy: () => RETRY_MS };
const reconnectSoon = { reconnectStrategy: () => RETRY_MS };

/** Copies options, because older clients change them. */
function copied(addresses: readonly Address[]): Address[] {
  return addresses.map(({ host, port }) => ({ host, port }));
}

function ioredisClient(
  name: string,
  Client: new (options: object) => IoredisLike,
  ClusterClient: new (nodes: Address[], options: object) => IoredisLike,
): TestClient {
  return {
    name,
    connect: async ({ host, port }) => connectedIoredis(new Client({ host, port, ...retrySoon })),
    connectCluster: async (addresses, natMap = {}) =>
      connectedIoredis(new ClusterClient(copied(addresses), { natMap, ...retryClusterSoon })),
    connectSentinel: async (sentinels, group, natMap = {}) =>
      connectedIoredis(new Client({ sentinels: copied(sentinels), name: group, natMap, ...retrySoon })),
  };
}

interface NodeRedisMakers {
  readonly client: (options: object) => NodeRedisLike;
  readonly cluster: (options: never) => NodeRedisLike;
  readonly sentinel?: (options: never) => NodeRedisLike;
}

function nodeRedisClient(name: string, { client, cluster, sentinel }: NodeRedisMakers, forCluster = {}): TestClient {
  const socket = reconnectSoon;
  return {
    name,
    connect: async ({ host, port }) => connectedNodeRedis(client({ socket: { host, port, ...socket } })),
    connectCluster: async (addresses, nodeAddressMap = {}) => {
      const rootNodes = copied(addresses).map((address) => ({ socket: address }));
      return connectedNodeRedis(cluster({ rootNodes, defaults: { socket }, nodeAddressMap, ...forCluster } as never));
    },
    ...(sentinel && {
      connectSentinel: async (sentinels, group, nodeAddressMap = {}) => {
        const sentinelRootNodes = copied(sentinels);
        const nodeClientOptions = { socket };
        return connectedNodeRedis(
          sentinel({ name: group, sentinelRootNodes, nodeClientOptions, nodeAddressMap } as never),
        );
      },
    }),
  };
}

const IOREDIS = ioredisClient("ioredis", Ioredis, IoredisCluster);
const NODE_REDIS = nodeRedisClient(
  "redis",
  { client: createClient, cluster: createCluster, sentinel: createSentinel },
  { topologyRefreshOnReconnectionAttemptStrategy: 2 * RETRY_MS },
);

function glideOptions(addresses: readonly Address[], detours: Detours) {
  Logger.setLoggerConfig("off");
  return {
    addresses: copied(addresses),
    requestTimeout: GLIDE_REQUEST_TIMEOUT_MS,
    connectionBackoff: { numberOfRetries: 1, factor: RETRY_MS, exponentBase: 1 },
    addressResolver: (host: string, port: number): [string, number] => {
      const detour = detours[`${host}:${port}`];
      return detour === undefined ? [host, port] : [detour.host, detour.port];
    },
  };
}

const GLIDE: TestClient = {
  name: "@valkey/valkey-glide",
  connect: async (address) => {
    const client = await GlideClient.createClient(glideOptions([address], {}));
    return { client, close: async () => client.close() };
  },
  connectCluster: async (addresses, detours = {}) => {
    const client = await GlideClusterClient.createClient(glideOptions(addresses, detours));
    return { client, close: async () => client.close() };
  },
};

/** The supported clients, in their newest versions. */
export const EVERY_CLIENT: readonly TestClient[] = [
  IOREDIS,
  ioredisClient("iovalkey", Iovalkey, IovalkeyCluster),
  NODE_REDIS,
  GLIDE,
];

/** Older supported versions. */
export const OLDER_CLIENTS: readonly TestClient[] = [
  ioredisClient("ioredis 5", Ioredis5, Ioredis5Cluster),
  nodeRedisClient("redis 5", { client: createClient5, cluster: createCluster5, sentinel: createSentinel5 }),
  nodeRedisClient("redis 4", { client: createClient4, cluster: createCluster4 }),
];
