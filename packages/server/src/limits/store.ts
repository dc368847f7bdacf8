import { type Duration, type MemoryStoreOptions, memoryStore, type Store } from "tollgate";
import type { RedisStoreOptions } from "tollgate/redis";
import type { Log } from "../log/log.ts";
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

/** Opens the store. Redis need not be there yet. */
export async function openStore(settings: StoreSettings, log: Log): Promise<OpenStore> {
  const { redis, maxKeys, sweepInterval } = settings;
  if (redis !== undefined) return openRedis(redis, settings, log);
  const options: MemoryStoreOptions = { sweepInterval, ...(maxKeys !== undefined && { maxKeys }) };
  const store = memoryStore(options);
  return { store, close: async () => store.close() };
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
