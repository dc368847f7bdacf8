import pg from "pg";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import { createLimiter, type Decision, tokenBucket } from "tollgate";
import { postgresMigration, postgresStore } from "tollgate/postgres";
import type { Figures } from "../harness/figures.ts";
import { KeyPool } from "../harness/keys.ts";
import { expectCount, percentile } from "../harness/measuring.ts";
import { HOST } from "../harness/server-program.ts";
import { type AsyncCall, never } from "../process/contender.ts";
import { askAboutAll, checkLimit, keepInFlight, keysInTurn } from "../redis/calls.ts";
import { serverUs } from "./server.ts";

export type RowId = "tollgate" | "consume" | "logged" | "flexible" | "unlogged";

export interface VariantOrder {
  readonly row: RowId;
  readonly keys: number;
  readonly port: number;
  /** The server's process. */
  readonly pid: number;
  readonly warmUpMs: number;
  readonly ms: number;
  /** With these, that many calls are made in place of those of a time, and the table is measured after them. */
  readonly calls?: number;
}

const IN_FLIGHT = 512;
const LIMIT = 2;
const UNITS = 20_000_000;
const TABLES = { tollgate: "tollgate.counts", flexible: "flexible" } as const;

/** Measures a contender over new tables. @throws Error when it decides wrongly. */
export async function measureVariant(order: VariantOrder): Promise<Figures> {
  const { row, keys, port, pid, calls } = order;
  const client = new pg.Pool({ host: HOST, port, user: "bench", database: "postgres" });
  const isRival = row === "flexible" || row === "unlogged";
  const create = (limit: number) => (isRival ? flexible(client, row, limit) : tollgate(client, row, limit));
  await checkLimit(await create(LIMIT), LIMIT);
  const contender = await create(UNITS);
  const pool = new KeyPool(keys);
  expectCount("keys admitted", await askAboutAll(contender, pool), keys);
  const nextKey = keysInTurn(pool);
  let figures: Figures;
  if (calls === undefined) {
    await keepInFlight(contender, nextKey, IN_FLIGHT, order.warmUpMs);
    const [clientBefore, serverBefore] = [process.cpuUsage(), serverUs(pid)];
    const made = await keepInFlight(contender, nextKey, IN_FLIGHT, order.ms);
    const { user, system } = process.cpuUsage(clientBefore);
    expectCount("calls admitted", made.admitted, made.answers);
    figures = {
      perSecond: (made.decisions / made.ms) * 1_000,
      p50Ms: percentile(made.latenciesMs, 0.5),
      p99Ms: percentile(made.latenciesMs, 0.99),
      clientUs: (user + system) / made.answers,
      serverUs: (serverUs(pid) - serverBefore) / made.answers,
    };
  } else {
    for (let made = 0; made < calls; made += keys) expectCount("admitted", await askAboutAll(contender, pool), keys);
    figures = { calls, ...(await statisticsOf(client, TABLES[isRival ? "flexible" : "tollgate"], keys)) };
  }
  await client.end();
  return figures;
}

/** The server counts what its other processes tell it within a second. */
async function statisticsOf(client: pg.Pool, table: string, keys: number): Promise<Figures> {
  await client.query("SELECT pg_sleep(2)");
  const { rows } = await client.query<Record<"bytes" | "hot" | "updates", number>>(
    `SELECT pg_total_relation_size(relid)::float8 AS bytes, n_tup_hot_upd::float8 AS hot, n_tup_upd::float8 AS updates
    FROM pg_stat_user_tables WHERE relid = '${table}'::regclass`,
  );
  const { bytes, hot, updates } = rows[0]!;
  return { bytes: bytes / keys, hot: hot / updates, updates };
}

async function tollgate(client: pg.Pool, row: RowId, limit: number): Promise<AsyncCall> {
  await client.query(`DROP SCHEMA IF EXISTS tollgate CASCADE; ${postgresMigration({ logged: row === "logged" })}`);
  // A decision without the server is a denial, which the checks notice.
  const store = postgresStore({ client, onFailure: "deny", timeout: "10s" });
  const limiter = createLimiter({
    name: "api",
    limits: [tokenBucket({ capacity: limit, refill: 1, per: "1m" })],
    store,
  });
  if (row !== "consume")
    return { ask: (key) => limiter.allow(key), admits: (answer) => answer === true, isDenial: never };
  return { ask: (key) => limiter.consume(key), admits: (answer) => (answer as Decision).allowed, isDenial: never };
}

async function flexible(client: pg.Pool, row: RowId, limit: number): Promise<AsyncCall> {
  await client.query(`DROP TABLE IF EXISTS ${TABLES.flexible}`);
  const options = { storeClient: client, points: limit, duration: 86_400, tableName: TABLES.flexible };
  const limiter = await new Promise<RateLimiterPostgres>((resolve, reject) => {
    const made = new RateLimiterPostgres(options, (error) => (error ? reject(error) : resolve(made)));
  });
  if (row === "unlogged") await client.query(`ALTER TABLE ${TABLES.flexible} SET UNLOGGED`);
  const isDenial = (reason: unknown) => !(reason instanceof Error);
  return { ask: (key) => limiter.consume(key), admits: () => true, isDenial };
}
