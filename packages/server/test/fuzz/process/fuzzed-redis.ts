import type { RedisServer } from "../../../../tollgate/test/stores/redis/servers/redis-server.ts";
import { startCluster } from "../../../../tollgate/test/stores/redis/servers/start-cluster.ts";
import { startRedis } from "../../../../tollgate/test/stores/redis/servers/start-redis.ts";

/** Connections that a service and the fuzzer may have to a server. A Cluster's client has more than one. */
const MOST_CONNECTIONS = 16;
/** The store's script, and one of before a server was restarted. */
const MOST_SCRIPTS = 4;
/** Keys of clients that called once stay until they are idle. Beyond so many, they are dropped. */
const MOST_KEYS = 200_000;
const LOOKED_AT_KEYS = 20;
/**
 * Errors that a client of Redis expects: a script that is not there yet, a Cluster that forms or moves, and `ERR` for
 * commands of a newer Redis, with which clients introduce themselves.
 */
const EXPECTED_ERRORS: ReadonlySet<string> = new Set(["NOSCRIPT", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "ERR"]);
/** A Cluster whose nodes get no processor time for a second would fail over, and there is no replica. */
const NODE_TIMEOUT_MS = 30_000;

/** The servers in which a service counts. */
export class FuzzedRedis {
  readonly #servers: readonly RedisServer[];
  readonly #stop: () => Promise<void>;

  private constructor(servers: readonly RedisServer[], stop: () => Promise<void>) {
    this.#servers = servers;
    this.#stop = stop;
  }

  /** @throws Error when there is no redis-server. */
  static async start(kind: "redis" | "redis cluster"): Promise<FuzzedRedis> {
    switch (kind) {
      case "redis": {
        const server = await startRedis();
        return new FuzzedRedis([server], () => server.stop());
      }
      case "redis cluster": {
        const cluster = await startCluster({ primaries: 3, replicas: 0, nodeTimeoutMs: NODE_TIMEOUT_MS });
        return new FuzzedRedis(cluster.nodes, () => cluster.stop());
      }
      default:
        return kind satisfies never;
    }
  }

  /** For the flag of the service. */
  get urls(): string {
    return this.#servers.map(({ host, port }) => `redis://${host}:${port}`).join(",");
  }

  /** What the service has done to its servers, if that is wrong. */
  async fault(): Promise<string | undefined> {
    const faults = await Promise.all(this.#servers.map(faultOf));
    return faults.find((fault) => fault !== undefined);
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}

async function faultOf(server: RedisServer): Promise<string | undefined> {
  const errors = [...(await server.info("errorstats")).keys()].map((name) => name.replace(/^errorstat_/, ""));
  const unexpected = errors.filter((name) => !EXPECTED_ERRORS.has(name));
  if (unexpected.length > 0) return `Redis answered with errors: ${unexpected.join(", ")}`;
  const failed = await failedScripts(server);
  if (failed > 0) return `the script failed in Redis ${failed} times`;
  const connections = Number((await server.info("clients")).get("connected_clients"));
  if (connections > MOST_CONNECTIONS) return `expected at most ${MOST_CONNECTIONS} connections, got ${connections}`;
  const scripts = Number((await server.info("memory")).get("number_of_cached_scripts"));
  if (scripts > MOST_SCRIPTS) return `expected at most ${MOST_SCRIPTS} scripts, got ${scripts}`;
  return faultOfKeys(server);
}

/** How often a script failed that was there. */
async function failedScripts(server: RedisServer): Promise<number> {
  const commands = await server.info("commandstats");
  const failedOf = (name: string): number => Number(/failed_calls=(\d+)/.exec(commands.get(name) ?? "")?.[1] ?? 0);
  const missing = /count=(\d+)/.exec((await server.info("errorstats")).get("errorstat_NOSCRIPT") ?? "")?.[1] ?? 0;
  return failedOf("cmdstat_evalsha") + failedOf("cmdstat_eval") - Number(missing);
}

/** Every key has to end by itself. */
async function faultOfKeys(server: RedisServer): Promise<string | undefined> {
  for (let left = LOOKED_AT_KEYS; left > 0; left -= 1) {
    const key = await server.command("RANDOMKEY");
    if (typeof key !== "string") return undefined;
    if ((await server.command("PTTL", key)) === -1) return `expected a key that ends, got ${JSON.stringify(key)}`;
  }
  if (Number(await server.command("DBSIZE")) > MOST_KEYS) await server.command("FLUSHDB");
  return undefined;
}
