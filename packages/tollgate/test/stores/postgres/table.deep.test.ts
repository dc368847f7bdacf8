import { execFile } from "node:child_process";
import { chown, mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createLimiter, type Limit, perDay, slidingWindow } from "tollgate";
import { postgresMigration, postgresStore } from "tollgate/postgres";
import { afterAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { ofFile } from "../../of-file.ts";
import { eventuallyTrue } from "../redis/servers/eventually.ts";
import { NOBODY, PostgresServer } from "./servers/start-postgres.ts";

const LIMIT = 1_000;

const server = await ofFile(PostgresServer.start());
const pool = server.pool();
afterAll(() => pool.end());
beforeEach(async () => {
  await server.query(`DROP SCHEMA tollgate CASCADE; ${postgresMigration()}; SELECT pg_stat_reset()`);
});

function createNode(limits: readonly Limit[] = [perDay(LIMIT)]) {
  const store = postgresStore({ client: pool, timeout: "30s", onFailure: "deny", denyCache: false, warnings: false });
  onTestFinished(() => store.close());
  return createLimiter({ name: "api", limits, store });
}

/** What the server says of the table, after so many updates. */
async function statistics(updates: number): Promise<Record<string, number>> {
  let row: Record<string, number> = {};
  await eventuallyTrue("statistics of the table", async () => {
    const rows =
      await server.query(`SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS hot, seq_scan::int AS scans,
      n_tup_ins::int AS inserts, pg_total_relation_size(relid)::int AS bytes FROM pg_stat_user_tables
      WHERE relid = 'tollgate.counts'::regclass`);
    row = rows[0] as Record<string, number>;
    return row["updates"]! >= updates;
  });
  return row;
}

it("rows change where they are, and a plan from when the table was small does not read all of a large one", async () => {
  const [KEYS, ROUNDS] = [2_000, 10];
  const limiter = createNode([perDay(LIMIT), slidingWindow({ limit: LIMIT, window: "1h", resolution: "10m" })]);
  for (let i = 0; i < 20; i += 1) await limiter.allow("first");
  await server.query("VACUUM ANALYZE tollgate.counts");
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = Array.from({ length: KEYS }, (_, i) => limiter.allow(`key ${i}`));
    expect((await Promise.all(calls)).every(Boolean)).toBe(true);
  }
  const { updates = 0, hot = 0, scans = 0, inserts, bytes = 0 } = await statistics(KEYS * (ROUNDS - 1));
  expect(hot / updates).toBeGreaterThan(0.99);
  // Making the index reads the table, too.
  expect([scans < 10, inserts]).toEqual([true, KEYS + 1]);
  // Half of each page is free, and versions that no call sees any more make room for others.
  expect(bytes / KEYS).toBeLessThan(2_500);
});

it("nodes that make the rows of the same new keys at once count each call once", async () => {
  const KEYS = 100;
  const nodes = Array.from({ length: 4 }, () => createNode());
  const calls = nodes.flatMap((node) => Array.from({ length: KEYS }, (_, i) => node.consume(`key ${i}`)));
  for (const decision of await Promise.all(calls)) expect(decision).toMatchObject({ allowed: true });
  for (let i = 0; i < KEYS; i += 1) expect((await nodes[0]!.peek(`key ${i}`, 0)).remaining).toBe(LIMIT - nodes.length);
});

const run = promisify(execFile);
const asRoot = (command: string, ...args: string[]) =>
  process.getuid?.() === 0 ? run(command, args) : run("sudo", ["-n", command, ...args]);

it("a full disk is decided by the policy, and what is counted was admitted, once", async () => {
  const disk = await mkdtemp(join(tmpdir(), "tollgate-disk-"));
  await asRoot("mount", "-t", "tmpfs", "-o", "size=256k,mode=777", "tmpfs", disk);
  onTestFinished(async () => {
    await asRoot("umount", "-l", disk);
    await rmdir(disk);
  });
  if (process.getuid?.() === 0) await chown(disk, NOBODY, NOBODY);
  await server.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
  await server.query("ALTER TABLE tollgate.counts SET TABLESPACE small");
  const limiter = createNode();
  const counted: string[] = [];
  const decided: string[] = [];
  for (let i = 0; decided.length < 20 && i < 5_000; i += 1) {
    const { allowed, degraded } = await limiter.consume(`key ${i}`);
    if (degraded === undefined) counted.push(`key ${i}`);
    else decided.push(`key ${i}`);
    if (degraded !== undefined) expect([allowed, degraded]).toEqual([false, "the server's disk is full"]);
  }
  expect([counted.length > 100, decided.length]).toEqual([true, 20]);
  // Rows that exist have the other half of their page, so their keys count on.
  expect((await limiter.consume(counted[0]!, 2)).degraded).toBeUndefined();
  await asRoot("mount", "-o", "remount,size=64m", disk);
  expect((await limiter.consume(decided[0]!, 5)).degraded).toBeUndefined();
  const used = async (key: string) => LIMIT - ((await limiter.peek(key, 0)).remaining ?? 0);
  expect(await Promise.all([0, 1, counted.length - 1].map((i) => used(counted[i]!)))).toEqual([3, 1, 1]);
  expect(await Promise.all([decided[0]!, decided[1]!].map(used))).toEqual([5, 0]);
  await server.query("ALTER TABLE tollgate.counts SET TABLESPACE pg_default");
  await server.query("DROP TABLESPACE small");
});
