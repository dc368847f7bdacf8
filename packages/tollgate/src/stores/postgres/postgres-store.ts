import { optionError } from "../../core/check-options.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import { checkRedisOptions, checkStoreOptions, type RedisStoreOptions } from "../redis/redis-options.ts";
import { type RedisStore, StoreOnServer } from "../redis/redis-store.ts";
import { Fallbacks } from "../remote/without-server.ts";
import { encodeBatch } from "./encode-batch.ts";
import { isPostgresClient, type PostgresClient, PostgresPort } from "./postgres-port.ts";

export interface PostgresStoreOptions extends Omit<RedisStoreOptions, "client"> {
  /** A `Pool` or connected `Client` of pg, or the function of postgres.js. Closing the store does not close it. */
  readonly client: PostgresClient;
  /**
   * Whether the statement is prepared once for each connection: `true` by default. Pass `false` behind a PgBouncer that
   * pools transactions and knows no prepared statements.
   */
  readonly prepare?: boolean;
  /**
   * How often the store removes idle rows of all limiters: `"1m"` by default, at most a day. With `false` something
   * else calls `tollgate.sweep()`, such as pg_cron.
   */
  readonly sweepInterval?: Duration | false;
}

/** A store in PostgreSQL that all nodes of a fleet share. It has what a `RedisStore` has. */
export interface PostgresStore extends RedisStore {}

const A_DAY_MS = 86_400_000;
const OWN_NAMES = { prepare: true, sweepInterval: true } as const;

/**
 * Creates a store in PostgreSQL 14 or later: one quota for a fleet without Redis. A decision is one statement for any
 * number of limits, and the calls of one turn of the event loop share it. Apply `postgresMigration()` once before.
 * While the server is unavailable, `onFailure` decides within `timeout`, and the decision has `degraded`.
 *
 * The functions in the database run the arithmetic of the algorithms in float64, as this package does: decisions are
 * equal to the bit.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_DURATION`, with the expected and the actual value.
 * @example
 * ```ts
 * import pg from "pg";
 * import { createLimiter, perMinute } from "tollgate";
 * import { postgresStore } from "tollgate/postgres";
 *
 * const client = new pg.Pool({ connectionString: process.env["DATABASE_URL"] });
 * const store = postgresStore({ client, onFailure: "deny" });
 * const limiter = createLimiter({ name: "login", limits: [perMinute(2)], store });
 * console.log(await limiter.allow("ann"), await limiter.allow("ann"), await limiter.allow("ann")); // true true false
 * await store.close();
 * await client.end();
 * ```
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  if (isPostgresClient(options)) throw optionError("postgresStore", "options", options, "; write { client }");
  checkStoreOptions("postgresStore", options, OWN_NAMES);
  const { client, prepare = true, sweepInterval = "1m", ...others } = options;
  if (!isPostgresClient(client))
    throw optionError("client", "a pool or client of pg, or a function of postgres", client);
  if (typeof prepare !== "boolean") throw optionError("prepare", "true or false", prepare);
  const checked = checkRedisOptions({ ...others, client: client as never });
  const sweepMs = sweepInterval === false ? 0 : checkDuration("sweepInterval", sweepInterval, 1_000, A_DAY_MS);
  const fallbacks = new Fallbacks(checked.onFailure);
  const port = new PostgresPort(client, { prepare, sweepMs, timeoutMs: checked.timeoutMs });
  return new StoreOnServer(checked, fallbacks, port, "postgres", encodeBatch);
}
