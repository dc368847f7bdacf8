import { type Duration, type LocalStore, memoryStore, type Store } from "tollgate";
import type { ClusterStoreObservation } from "tollgate/cluster";
import type { RedisStoreOptions } from "tollgate/redis";
import type { Log } from "../log/log.ts";
import type { LimitsContext } from "./limits-context.ts";
import type { RedisAddress } from "./redis-address.ts";

export interface StoreSettings {
  /** `undefined`: memory. */
  readonly redis: RedisAddress | undefined;
  /** How long a call waits for Redis. */
  readonly redisTimeout: Duration;
  /** Whether units of Redis are taken in advance, so that few calls have to ask. */
  readonly hybrid: boolean;
  /** How many keys memory keeps at most. `undefined`: the library's default. */
  readonly maxKeys: number | undefined;
  readonly sweepInterval: Duration;
}

/** Where limits count. */
export interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens the store. Redis need not be there yet. Of several processes, the primary one has the memory. */
export async function openStore(
  settings: StoreSettings,
  { log, peers }: Pick<LimitsContext, "log" | "peers">,
): Promise<OpenStore> {
  const { redis } = settings;
  if (redis !== undefined) return openRedis(redis, settings, log);
  if (peers?.countInPrimary === true) return openCluster(log);
  const store = openMemory(settings);
  return { store, close: async () => store.close() };
}

export function openMemory({ maxKeys, sweepInterval }: StoreSettings): LocalStore {
  return memoryStore({ sweepInterval, ...(maxKeys !== undefined && { maxKeys }) });
}

/** The primary process has other work, too. A worker starts within this time, or not at all. */
const CLUSTER_TIMES = { timeout: "1s", connectTimeout: "15s" } as const;

async function openCluster(log: Log): Promise<OpenStore> {
  const { clusterStore } = await import("tollgate/cluster");
  const observe = (observation: ClusterStoreObservation): void => {
    if (observation.type === "down") {
      log({ level: "error", event: "primary-silent", fields: { cause: observation.cause } });
    } else if (observation.type === "up") {
      log({ level: "warn", event: "primary-back", fields: { down_for_ms: Math.round(observation.downForMs) } });
    }
  };
  const store = clusterStore({ ...CLUSTER_TIMES, warnings: false, observe });
  return { store, close: () => store.close() };
}

/** Loaded only if asked for. The store tells of outages, so errors of single connections are not logged. */
async function openRedis(address: RedisAddress, settings: StoreSettings, log: Log): Promise<OpenStore> {
  const { hybrid, redisTimeout: timeout } = settings;
  const { connectRedis } = await import("./redis-client.ts");
  const client = connectRedis(address, () => {});
  const common: Pick<RedisStoreOptions, "timeout" | "warnings" | "observe"> = {
    timeout,
    warnings: false,
    observe: (observation) => {
      switch (observation.type) {
        case "down":
          return log({ level: "error", event: "redis-down", fields: { cause: observation.cause } });
        case "up":
          return log({ level: "warn", event: "redis-up", fields: { down_for_ms: Math.round(observation.downForMs) } });
        case "probe":
        case "bypass":
          return;
        default:
          return observation satisfies never;
      }
    },
  };
  const store = hybrid
    ? (await import("tollgate/hybrid")).hybridStore({ client, ...common })
    : (await import("tollgate/redis")).redisStore({ client, ...common });
  const close = async (): Promise<void> => {
    await store.close();
    client.disconnect();
  };
  return { store, close };
}
