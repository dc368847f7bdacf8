import { Redis, type RedisOptions } from "ioredis";
import type { Figures } from "../harness/figures.ts";
import { KeyPool } from "../harness/keys.ts";
import { expectCount, percentile } from "../harness/measuring.ts";
import { HOST } from "../harness/server-program.ts";
import type { AsyncCall } from "../process/contender.ts";
import { admittedOf, askAboutAll, checkLimit, keepInFlight, keysInTurn } from "./calls.ts";
import { ROWS, type Row, type RowId, WORKLOADS, type Workload } from "./contenders.ts";
import { callsOf, mainThreadUs } from "./server.ts";

export interface VariantOrder {
  readonly row: RowId;
  readonly workload: Workload;
  readonly port: number;
  readonly warmUpMs: number;
  readonly ms: number;
}

const IN_FLIGHT = 512;
const LIMIT = 2;
const USER_KEY = "user-0123456789a";

/** Measures a contender on the empty server. @throws Error when it decides wrongly. */
export async function measureVariant({ row, workload, port, warmUpMs, ms }: VariantOrder): Promise<Figures> {
  const { create, ...entry }: Row = ROWS[row];
  const { keys, units } = WORKLOADS[workload];
  const [client, admin] = [connect(port, entry.client), connect(port)];
  await admin.flushall("SYNC");
  await checkLimit(
    await create({ client, limit: workload === "denied" ? 1 : LIMIT }),
    workload === "denied" ? 1 : LIMIT,
  );

  await admin.flushall("SYNC");
  const contender = await create({ client, limit: units });
  const bytes = await bytesOfKey(contender, admin);

  const pool = new KeyPool(keys);
  expectCount("keys admitted", await askAboutAll(contender, pool), pool.count);
  // Keys to be denied have one unit each, and the second call shows the denial.
  if (workload === "denied") expectCount("keys admitted", await askAboutAll(contender, pool), 0);
  const nextKey = keysInTurn(pool);
  await keepInFlight(contender, nextKey, IN_FLIGHT, warmUpMs);

  const serverBeforeUs = mainThreadUs(await admin.info("cpu"));
  await admin.config("RESETSTAT");
  const before = process.cpuUsage();
  const calls = await keepInFlight(contender, nextKey, IN_FLIGHT, ms);
  const { user, system } = process.cpuUsage(before);
  const commands = callsOf(await admin.info("commandstats"), entry.command ?? "evalsha");
  const serverUs = (mainThreadUs(await admin.info("cpu")) - serverBeforeUs) / calls.answers;
  expectCount("calls admitted", calls.admitted, workload === "denied" ? 0 : calls.answers);
  client.disconnect();
  admin.disconnect();
  return {
    perSecond: (calls.decisions / calls.ms) * 1_000,
    p50Ms: percentile(calls.latenciesMs, 0.5),
    p99Ms: percentile(calls.latenciesMs, 0.99),
    clientUs: (user + system) / calls.answers,
    serverUs,
    ...(commands > 0 && { perCommand: calls.answers / commands }),
    bytes,
  };
}

/** What the server keeps of one key. */
async function bytesOfKey(contender: AsyncCall, admin: Redis): Promise<number> {
  expectCount("calls admitted", await admittedOf(contender, [USER_KEY]), 1);
  const names = await admin.keys(`*${USER_KEY}*`);
  const sizes = await Promise.all(names.map((name) => admin.memory("USAGE", name)));
  return sizes.reduce<number>((sum, size) => sum + Number(size), 0);
}

/** A client that never reconnects: a measurement ends with its connection. */
export function connect(port: number, options: Pick<RedisOptions, "enableAutoPipelining"> = {}): Redis {
  return new Redis({ host: HOST, port, retryStrategy: () => null, ...options });
}
