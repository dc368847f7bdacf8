import { RedisServer } from "./redis-server.ts";

export interface RedisOptions {
  /** Such as `"2mb"`. Writes beyond it are rejected, because nothing is evicted. */
  readonly maxmemory?: string;
  /** The port of the primary. */
  readonly replicaOf?: number;
  /** Such as `["--appendonly", "yes"]`. They come last, so they override the others. */
  readonly args?: readonly string[];
}

/** Starts a server without persistence on a free port. Resolves when it replies. */
export async function startRedis({ maxmemory, replicaOf, args = [] }: RedisOptions = {}): Promise<RedisServer> {
  return RedisServer.start((port, folder) => [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", folder],
    ...["--save", "", "--appendonly", "no"],
    // After a diskless sync the primary holds writes back until the replica reports, up to a second after its link is
    // up.
    ...["--repl-diskless-sync", "no"],
    ...(maxmemory === undefined ? [] : ["--maxmemory", maxmemory, "--maxmemory-policy", "noeviction"]),
    ...(replicaOf === undefined ? [] : ["--replicaof", "127.0.0.1", String(replicaOf)]),
    ...args,
  ]);
}
