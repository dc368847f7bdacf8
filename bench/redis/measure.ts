import { Redis } from "ioredis";
import { KeyPool } from "../harness/keys.ts";
import { expectCount, percentile } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";
import type { AsyncCall } from "../process/contender.ts";
import { admittedOf, checkLimit, insertKeys, keepInFlight, keysInTurn } from "./calls.ts";
import { HOST, readCommandStats, readMainThreadUs } from "./server.ts";
import { type Entry, KEYS, UNITS, VARIANTS, type Variant } from "./variants.ts";

export interface Plan {
  /** Calls in flight: one measurement for each of these numbers, in this order. */
  readonly inFlight: readonly number[];
  readonly warmUpMs: number;
  readonly ms: number;
}

export const FULL: Plan = { inFlight: [1, 64, 512], warmUpMs: 250, ms: 700 };
export const QUICK: Plan = { inFlight: [1, 64, 512], warmUpMs: 100, ms: 250 };

export type VariantOrder = { readonly id: string; readonly port: number; readonly plan: Plan };

const LIMIT = 5;
const USER_KEY = "user-0123456789a";

/**
 * Checks a variant's limit. Then counts one key on the empty server and measures its bytes there.
 *
 * @throws Error when the variant decides wrongly.
 */
export async function checkVariant({ id, port }: VariantOrder): Promise<Measured[]> {
  const { entry } = variantOf(id);
  const client = connect(port, entry.client);
  await client.flushall("SYNC");
  await checkLimit(await entry.create({ client, limit: LIMIT }), LIMIT);

  await client.flushall("SYNC");
  const contender = await entry.create({ client, limit: UNITS["distinct keys"] });
  expectCount("calls admitted", await admittedOf(contender, [USER_KEY]), 1);
  const names = await client.keys("*");
  const sizes = await Promise.all(names.map((name) => client.memory("USAGE", name)));
  client.disconnect();
  const bytes = sizes.reduce<number>((sum, size) => sum + Number(size), 0);
  return [{ table: "contenders", row: entry.id, figures: { bytes } }];
}

/**
 * Measures a variant against the empty server.
 *
 * @throws Error when the variant decides wrongly, or when a command fails.
 */
export async function measureVariant({ id, port, plan }: VariantOrder): Promise<Measured[]> {
  const variant = variantOf(id);
  const { entry, workload } = variant;
  const client = connect(port, entry.client);
  const admin = connect(port, "plain");
  await admin.flushall("SYNC");
  const contender = await entry.create({ client, limit: UNITS[workload] });
  const pool = new KeyPool(KEYS[workload]);
  await insertKeys(contender, pool, workload);
  const nextKey = keysInTurn(pool);
  const measured: Measured[] = [];
  for (const inFlight of plan.inFlight) {
    await keepInFlight(contender, nextKey, inFlight, plan.warmUpMs);
    const figures = await measureCalls(variant, contender, nextKey, admin, inFlight, plan.ms);
    measured.push({ table: String(inFlight), row: id, figures });
  }
  client.disconnect();
  admin.disconnect();
  return measured;
}

/** `admin`: a connection of its own. */
async function measureCalls(
  { entry, workload }: Variant,
  contender: AsyncCall,
  nextKey: () => string,
  admin: Redis,
  inFlight: number,
  ms: number,
): Promise<Measured["figures"]> {
  const serverBeforeUs = readMainThreadUs(await admin.info("cpu"));
  await admin.config("RESETSTAT");
  const clientBefore = process.cpuUsage();
  const { decisions, answers, admitted, latenciesMs, ...calls } = await keepInFlight(contender, nextKey, inFlight, ms);
  const { user, system } = process.cpuUsage(clientBefore);
  const commands = readCommandStats(await admin.info("commandstats"));
  const serverUs = (readMainThreadUs(await admin.info("cpu")) - serverBeforeUs) / answers;
  const clientUs = (user + system) / answers;

  expectCount("calls admitted", admitted, workload === "denied keys" ? 0 : answers);
  for (const [name, { failures }] of commands) expectCount(`failures of ${name}`, failures, 0);
  const own = commands.get(entry.command);
  return {
    decisionsPerSecond: (decisions / calls.ms) * 1_000,
    /** By the busier one of the two processes. */
    decisionsPerCpuSecond: 1_000_000 / Math.max(clientUs, serverUs),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    clientUs,
    commandUs: (own?.us ?? 0) / answers,
    serverUs,
    commandsPerDecision: (own?.calls ?? 0) / answers,
  };
}

export function variantOf(id: string): Variant {
  const variant = VARIANTS.find((one) => one.id === id);
  if (variant === undefined) throw new Error(`expected the id of a variant, got ${id}`);
  return variant;
}

/** A client that never reconnects: a measurement ends with its connection. */
export function connect(port: number, client: Entry["client"]): Redis {
  return new Redis({ host: HOST, port, enableAutoPipelining: client === "auto-pipelined", retryStrategy: () => null });
}
