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

const IOREDIS: TestClient = {
  name: "ioredis",
  connect: async ({ host, port }) => connectedIoredis(new Ioredis({ host, port, ...retrySoon })),
  connectCluster: async (addresses, natMap = {}) =>
    connectedIoredis(new IoredisCluster(copied(addresses), { natMap, ...retryClusterSoon })),
  connectSentinel: async (sentinels, name, natMap = {}) =>
    connectedIoredis(new Ioredis({ sentinels: copied(sentinels), name, natMap, ...retrySoon })),
};

const IOREDIS_5: TestClient = {
  name: "ioredis 5",
  connect: async ({ host, port }) => connectedIoredis(new Ioredis5({ host, port, ...retrySoon })),
  connectCluster: async (addresses, natMap = {}) =>
    connectedIoredis(new Ioredis5Cluster(copied(addresses), { natMap, ...retryClusterSoon })),
  connectSentinel: async (sentinels, name, natMap = {}) =>
    connectedIoredis(new Ioredis5({ sentinels: copied(sentinels), name, natMap, ...retrySoon })),
};

const IOVALKEY: TestClient = {
  name: "iovalkey",
  connect: async ({ host, port }) => connectedIoredis(new Iovalkey({ host, port, ...retrySoon })),
  connectCluster: async (addresses, natMap = {}) =>
    connectedIoredis(new IovalkeyCluster(copied(addresses), { natMap, ...retryClusterSoon })),
  connectSentinel: async (sentinels, name, natMap = {}) =>
    connectedIoredis(new Iovalkey({ sentinels: copied(sentinels), name, natMap, ...retrySoon })),
};

const NODE_REDIS: TestClient = {
  name: "redis",
  connect: async ({ host, port }) => connectedNodeRedis(createClient({ socket: { host, port, ...reconnectSoon } })),
  connectCluster: async (addresses, nodeAddressMap = {}) =>
    connectedNodeRedis(
      createCluster({
        rootNodes: copied(addresses).map((socket) => ({ socket })),
        defaults: { socket: reconnectSoon },
        nodeAddressMap,
        topologyRefreshOnReconnectionAttemptStrategy: 2 * RETRY_MS,
      }),
    ),
  connectSentinel: async (sentinels, name, nodeAddressMap = {}) =>
    connectedNodeRedis(
      createSentinel({
        name,
        sentinelRootNodes: copied(sentinels),
        nodeClientOptions: { socket: reconnectSoon },
        nodeAddressMap,
      }),
    ),
};

const NODE_REDIS_5: TestClient = {
  name: "redis 5",
  connect: async ({ host, port }) => connectedNodeRedis(createClient5({ socket: { host, port, ...reconnectSoon } })),
  connectCluster: async (addresses, nodeAddressMap = {}) =>
    connectedNodeRedis(
      createCluster5({
        rootNodes: copied(addresses).map((socket) => ({ socket })),
        defaults: { socket: reconnectSoon },
        nodeAddressMap,
      }),
    ),
  connectSentinel: async (sentinels, name, nodeAddressMap = {}) =>
    connectedNodeRedis(
      createSentinel5({
        name,
        sentinelRootNodes: copied(sentinels),
        nodeClientOptions: { socket: reconnectSoon },
        nodeAddressMap,
      }),
    ),
};

const NODE_REDIS_4: TestClient = {
  name: "redis 4",
  connect: async ({ host, port }) => connectedNodeRedis(createClient4({ socket: { host, port, ...reconnectSoon } })),
  connectCluster: async (addresses, nodeAddressMap = {}) =>
    connectedNodeRedis(
      createCluster4({
        rootNodes: copied(addresses).map((socket) => ({ socket })),
        defaults: { socket: reconnectSoon },
        nodeAddressMap,
      }),
    ),
};

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
export const EVERY_CLIENT: readonly TestClient[] = [IOREDIS, IOVALKEY, NODE_REDIS, GLIDE];

/** Older supported versions. */
export const OLDER_CLIENTS: readonly TestClient[] = [IOREDIS_5, NODE_REDIS_5, NODE_REDIS_4];
