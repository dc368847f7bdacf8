import type { Redis } from "ioredis";
import { expectAdmitted } from "../../measure/expect-admitted.ts";
import { KeyPool } from "../../workloads/key-pool.ts";
import type { Contender } from "../contenders/contender.ts";
import { connect } from "../server/connect.ts";
import type { Variant } from "../variant.ts";
import { KEYS, UNITS } from "../workload.ts";
import { insertKeys } from "./insert.ts";
import { keepInFlight } from "./keep-in-flight.ts";
import { percentile } from "./percentile.ts";
import type { Plan } from "./plan.ts";
import type { Measured } from "./sample.ts";
import { startMeter } from "./server-meter.ts";

/**
 * Measures a variant against an empty server.
 *
 * @throws Error when it decided wrongly, or the server could not carry out a command.
 */
export async function measureVariant(variant: Variant, port: number, plan: Plan): Promise<Measured[]> {
  const { workload } = variant;
  const client = connect(port, variant.client);
  const admin = connect(port, "plain");
  await admin.flushall("SYNC");
  const create = await variant.load();
  const contender = await create({ client, limit: UNITS[workload] });
  const pool = new KeyPool(KEYS[workload]);
  await insertKeys(contender, pool, workload);
  let next = 0;
  const nextKey = () => {
    next = next + 1 === pool.count ? 0 : next + 1;
    return pool.key(next);
  };
  const measured: Measured[] = [];
  for (const inFlight of plan.inFlight) {
    await keepInFlight(contender, nextKey, inFlight, plan.warmUpMs);
    measured.push(await measureCalls({ variant, contender, nextKey, admin, inFlight, ms: plan.ms }));
  }
  client.disconnect();
  admin.disconnect();
  return measured;
}

interface Measurement {
  readonly variant: Variant;
  readonly contender: Contender;
  readonly nextKey: () => string;
  /** Of a connection beside the contender's. */
  readonly admin: Redis;
  readonly inFlight: number;
  readonly ms: number;
}

async function measureCalls({ variant, contender, nextKey, admin, inFlight, ms }: Measurement): Promise<Measured> {
  const stopMeter = await startMeter(admin);
  const before = process.cpuUsage();
  const calls = await keepInFlight(contender, nextKey, inFlight, ms);
  const { user, system } = process.cpuUsage(before);
  const { commands, processorUs } = await stopMeter();

  const { answers, latenciesMs } = calls;
  expectAdmitted(calls.admitted, variant.workload === "denied keys" ? 0 : answers);
  const failed = [...commands].find(([, { failures }]) => failures > 0);
  if (failed !== undefined) throw new Error(`the server refused ${failed[0]} ${failed[1].failures} times`);
  const asked = commands.get(variant.command);
  return {
    inFlight,
    decisionsPerSecond: (calls.decisions / calls.ms) * 1_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    clientUs: (user + system) / answers,
    commandUs: (asked?.us ?? 0) / answers,
    serverUs: processorUs / answers,
    commandsPerDecision: (asked?.calls ?? 0) / answers,
  };
}
