import { RedisServer } from "./redis-server.ts";

export interface RedisOptions {
  /** Such as `"2mb"`; what would need more is refused, for nothing is evicted. */
  readonly maxmemory?: string;
  /** Port of the primary. */
  readonly replicaOf?: number;
  /** Such as `["--appendonly", "yes"]`; they come last, so that they win. */
  readonly args?: readonly string[];
}

/** A server that keeps nothing on disk, on a free port. Resolves as soon as it answers. */
export async function startRedis({ maxmemory, replicaOf, args = [] }: RedisOptions = {}): Promise<RedisServer> {
  return RedisServer.start((port, folder) => [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder],
    ...["--save", "", "--appendonly", "no"],
    // After a diskless one the primary keeps writes back until the replica reports, up to a second after its link is up.
    ...["--repl-diskless-sync", "no"],
    ...(maxmemory === undefined ? [] : ["--maxmemory", maxmemory, "--maxmemory-policy", "noeviction"]),
    ...(replicaOf === undefined ? [] : ["--replicaof", "127.0.0.1", String(replicaOf)]),
    ...args,
  ]);
}
