// The types of clients by their structure. Imports of optional peers would not compile where they are not installed.

/**
 * A client that `redisStore` takes: of ioredis 5 or 6, iovalkey, redis (node-redis) 4 to 6, @valkey/valkey-glide 2 or
 * @upstash/redis; or a function that sends commands by another one. Await promises of clients first.
 */
export type StoreClient =
  | IoredisStoreClient
  | NodeRedisStoreClient
  | GlideStoreClient
  | UpstashStoreClient
  | CommandsStoreClient;

/** `new Redis()` or `new Cluster()` of ioredis or iovalkey. */
export interface IoredisStoreClient {
  readonly status: string;
  readonly isCluster: boolean;
  readonly options: object;
  evalsha(sha1: string, numkeys: number, ...args: string[]): Promise<unknown>;
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>;
}

/**
 * `createClient()`, `createClientPool()`, `createCluster()` or `createSentinel()` of redis, connected:
 * `await client.connect()`.
 */
export interface NodeRedisStoreClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  /** Clients, clusters and Sentinels have different parameters. */
  sendCommand(...args: never): Promise<unknown>;
}

/** `await GlideClient.createClient()` or `await GlideClusterClient.createClient()` of @valkey/valkey-glide. */
export interface GlideStoreClient {
  customCommand(args: string[]): Promise<unknown>;
  invokeScript(...args: never): Promise<unknown>;
}

/** `new Redis()` of @upstash/redis, with `retry: { retries: 0 }`. */
export interface UpstashStoreClient {
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  scan(cursor: string, options: { match: string; count: number }): Promise<unknown>;
}

/**
 * A function that sends a command to one server, and resolves to its reply. The client must not send commands again
 * after it lost a connection, because they could count twice.
 */
export interface CommandsStoreClient {
  sendCommand(command: string, ...args: string[]): Promise<unknown>;
}
