import type pg from "pg";
import { type AsyncLimiter, createLimiter, perDay } from "tollgate";
import { type PostgresStoreOptions, postgresMigration, postgresStore } from "tollgate/postgres";
import { afterAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { ofFile } from "../../of-file.ts";
import { eventuallyTrue } from "../redis/servers/eventually.ts";
import { PostgresServer } from "./servers/start-postgres.ts";

const LIMIT = 50;

const server = await ofFile(PostgresServer.start());
const pool = server.pool();
afterAll(() => pool.end());
beforeEach(async () => {
  await server.query(`DROP SCHEMA tollgate CASCADE; ${postgresMigration()}`);
});

/** A connection until the test ends, whatever state it is in. */
async function heldClient(): Promise<pg.PoolClient> {
  const client = await pool.connect();
  onTestFinished(() => client.release(true));
  return client;
}

function limiterOver(options: Partial<PostgresStoreOptions> = {}, client: pg.Pool = pool) {
  const store = postgresStore({ client, timeout: "300ms", connectTimeout: 0, warnings: false, ...options });
  onTestFinished(() => store.close());
  return createLimiter({ name: "api", limits: [perDay(LIMIT)], store });
}

async function used(limiter: AsyncLimiter): Promise<number> {
  return LIMIT - ((await limiter.peek("ann", 0)).remaining ?? 0);
}

/** Whether calls reach the server again. */
async function recovers(limiter: AsyncLimiter): Promise<void> {
  await eventuallyTrue("a decision of the server", async () => !("degraded" in (await limiter.peek("bob"))));
}

it("a dropped table is decided by the policy, and migrating again ends the outage", async () => {
  const limiter = limiterOver({ onFailure: "deny" });
  await limiter.consume("ann");
  await server.query("DROP TABLE tollgate.counts CASCADE");
  expect(await limiter.consume("ann")).toMatchObject({ allowed: false, degraded: expect.any(String) });
  await server.query(`DROP SCHEMA tollgate CASCADE; ${postgresMigration({ logged: true })}`);
  await recovers(limiter);
  expect(await used(limiter)).toBe(0);
});

it("a killed server is decided by the policy in time, and a restarted one counts on", async () => {
  await server.query(`DROP SCHEMA tollgate CASCADE; ${postgresMigration({ logged: true })}`);
  const limiter = limiterOver({ onFailure: "allow" });
  for (let i = 0; i < 3; i += 1) await limiter.consume("ann");
  await server.kill();
  expect(await limiter.consume("ann")).toMatchObject({ allowed: true, degraded: expect.any(String) });
  await server.restart();
  await recovers(limiter);
  // The logged counts are there, and the call without the server was not counted.
  expect(await used(limiter)).toBe(3);
});

it("a pool without a free connection counts nothing later", async () => {
  const small = server.pool(1);
  onTestFinished(() => small.end());
  const limiter = limiterOver({ onFailure: "deny" }, small);
  await limiter.consume("ann");
  const held = await small.connect();
  const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.consume("ann")));
  for (const decision of decisions) expect(decision).toMatchObject({ allowed: false, degraded: "timed out" });
  held.release();
  await recovers(limiter);
  expect(await used(limiter)).toBe(1);
});

it("a batch that waited too long for its row counts nothing", async () => {
  const limiter = limiterOver({ onFailure: "deny" });
  await limiter.consume("ann");
  const holder = await heldClient();
  await holder.query("BEGIN");
  await holder.query("SELECT * FROM tollgate.counts FOR UPDATE");
  expect(await limiter.consume("ann")).toMatchObject({ allowed: false, degraded: "timed out" });
  // The batch reached the server later than the call was made.
  await holder.query("SELECT pg_sleep(0.3)");
  await holder.query("COMMIT");
  await recovers(limiter);
  expect(await used(limiter)).toBe(1);
});

it("a deadlock with another program is decided by the policy, and counts nothing", async () => {
  // The one whose timeout is over first finds the deadlock, and fails.
  const soon = server.pool(4, "-c deadlock_timeout=3s");
  onTestFinished(() => soon.end());
  const limiter = limiterOver({ onFailure: "deny", timeout: "20s" }, soon);
  await Promise.all([limiter.consume("ann"), limiter.consume("bob")]);
  const holder = await heldClient();
  await holder.query("SET deadlock_timeout = '60s'");
  await holder.query("BEGIN");
  await holder.query("SELECT * FROM tollgate.counts WHERE key LIKE '%{bob}' FOR UPDATE");
  const both = Promise.all([limiter.consume("ann"), limiter.consume("bob")]);
  await eventuallyTrue("a batch that waits", async () => {
    const { rows } = await pool.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    return (rows[0] as { n: number }).n === 1;
  });
  // The batch has the row of ann, and waits for that of bob.
  await holder.query("SELECT * FROM tollgate.counts WHERE key LIKE '%{ann}' FOR UPDATE");
  await holder.query("COMMIT");
  for (const decision of await both) expect(decision).toMatchObject({ allowed: false, degraded: "deadlock" });
  expect(await used(limiter)).toBe(1);
});

it("serializable connections fail on hot rows, and what is counted was admitted", async () => {
  const strict = server.pool(4, "-c default_transaction_isolation=serializable");
  onTestFinished(() => strict.end());
  const nodes = Array.from({ length: 4 }, () => limiterOver({ onFailure: "deny", timeout: "10s" }, strict));
  const decisions = await Promise.all(nodes.flatMap((node) => [node.consume("ann"), node.consume("ann")]));
  const admitted = decisions.filter(({ allowed }) => allowed);
  expect(await used(limiterOver({ timeout: "10s" }))).toBe(admitted.length);
});

it("several nodes with several keys in any order admit exactly the limit, without a deadlock", async () => {
  const nodes = Array.from({ length: 4 }, () => limiterOver({ onFailure: "deny", timeout: "20s", denyCache: false }));
  const keys = ["ann", "bob", "eve", "kim", "zoe"];
  const decisions = await Promise.all(
    nodes.flatMap((node, n) =>
      Array.from({ length: 20 }, (_, i) => keys.map((_key, k) => node.consume(keys[(k * (n + 1) + i) % 5]!))).flat(),
    ),
  );
  expect(decisions.filter((decision) => "degraded" in decision)).toEqual([]);
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(5 * LIMIT);
});

it("keys with every kind of character are keys of their own", async () => {
  const limiter = limiterOver({ timeout: "10s" });
  const keys = ["", "}", "a\0b", "a\0c", "a", "'", '"', "\\", "{,}", "\ud800", "\u{1f511}", "NULL", "k".repeat(9_000)];
  for (const key of keys) expect((await limiter.consume(key)).remaining).toBe(LIMIT - 1);
  expect(await limiter.size()).toBe(keys.length);
  await limiter.clear();
  expect(await limiter.size()).toBe(0);
});
