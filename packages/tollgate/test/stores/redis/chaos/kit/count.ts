import { createLimiter, type LimitStatus } from "tollgate";
import { redisStore, type StoreClient } from "tollgate/redis";
import { type CallRecord, type Landing, landing } from "./call-record.ts";
import { LIMITS, type LimiterName } from "./limits.ts";

/** Bounds of the units of one key of one limiter. */
export interface Count {
  /** Units that the server counted for certain. */
  least: number;
  /** These and the units that it may have counted. */
  most: number;
}

export type Counts = ReadonlyMap<string, Count>;

export function nameOf(limiter: string, key: string): string {
  return `${limiter} ${key}`;
}

/** The counts that the server has to have after these calls. */
export function countOf(calls: readonly CallRecord[], landed: (call: CallRecord) => Landing = landing): Counts {
  const counts = new Map<string, Count>();
  for (const call of calls) {
    const name = nameOf(call.limiter, call.key);
    const count = counts.get(name) ?? { least: 0, most: 0 };
    counts.set(name, count);
    const how = landed(call);
    if (how === "no") continue;
    if (call.verb === "refund") {
      count.least -= call.units;
      if (how === "yes") count.most -= call.units;
    } else {
      count.most += call.units;
      if (how === "yes") count.least += call.units;
    }
  }
  return counts;
}

/** Keys whose units on the server are outside their bounds. */
export function miscounted(counts: Counts, used: ReadonlyMap<string, number>): string[] {
  const wrong: string[] = [];
  for (const [name, { least, most }] of counts) {
    const found = used.get(name) ?? 0;
    if (found < least || found > most) wrong.push(`${name}: expected ${least} to ${most}, found ${found}`);
  }
  return wrong;
}

/** The counts on the server for all keys of these calls, by their limiters' first limits. */
export async function usedOf(
  client: StoreClient,
  prefix: string,
  calls: readonly CallRecord[],
): Promise<ReadonlyMap<string, number>> {
  const store = redisStore({ client, prefix, timeout: "10s", onFailure: "deny" });
  const used = new Map<string, number>();
  for (const limiter of Object.keys(LIMITS) as LimiterName[]) {
    const reader = createLimiter({ name: limiter, limits: LIMITS[limiter], store });
    const keys = new Set(calls.filter((call) => call.limiter === limiter).map(({ key }) => key));
    const reports = await Promise.all([...keys].map(async (key) => [key, await reader.explain(key)] as const));
    for (const [key, report] of reports) used.set(nameOf(limiter, key), firstOf(report).used);
  }
  await store.close();
  return used;
}

function firstOf([first]: readonly LimitStatus[]): LimitStatus {
  if (first === undefined) throw new Error("expected the server to answer, got a decision without it");
  return first;
}
