import { Redis } from "ioredis";
import { createLimiter, perSecond } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { redisStore } from "tollgate/redis";
import { percentile } from "../harness/measuring.ts";
import { keysInTurn, keysOf } from "./keys.ts";
import { callsBy, type Load } from "./loads.ts";

export type Strategy = "lease" | "threshold" | "strict";

/** What a process of the fleet does. */
export interface NodeOrder {
  readonly strategy: Strategy;
  readonly port: number;
  readonly node: number;
  readonly load: Load;
  readonly startAtMs: number;
  readonly seconds: number;
}

export interface NodeResult {
  readonly asked: number;
  readonly admitted: number;
  readonly decidedLocally: number;
  readonly p50Us: number;
  readonly p99Us: number;
}

const TICK_MS = 2;
const RESTART_MS = 1_000;
/** One call in so many is timed. */
const TIMED_EVERY = 4;

/** One process: calls at its rate until the end, whether or not earlier calls were answered. */
export async function runNode(order: NodeOrder): Promise<NodeResult> {
  const { port, load, node, startAtMs, seconds } = order;
  const client = new Redis(port, "127.0.0.1");
  await client.ping();
  if (Date.now() > startAtMs) throw new Error("the machine is too busy: a process of the fleet did not start in time");
  const nextKey = load.inTurn === true ? keysInTurn(load.keys) : keysOf(load.keys);
  const latenciesUs: number[] = [];
  let [asked, admitted, decidedLocally] = [0, 0, 0];
  let opened = open(order, client);
  const noteLocal = () => {
    decidedLocally += opened.decidedLocally();
  };
  const ask = async (isTimed: boolean): Promise<void> => {
    const sinceMs = isTimed ? performance.now() : 0;
    if (await opened.limiter.allow(`key ${nextKey()}`)) admitted += 1;
    if (isTimed) latenciesUs.push((performance.now() - sinceMs) * 1_000);
  };
  const calls: Promise<void>[] = [];
  let restartAtMs = startAtMs + RESTART_MS * (1 + node);
  await sleepUntil(startAtMs);
  for (let nowMs = Date.now(); nowMs < startAtMs + seconds * 1_000; nowMs = Date.now()) {
    // Another process takes the place of this one: the leases that this one had are lost.
    if (load.restarts === true && nowMs >= restartAtMs) {
      restartAtMs += RESTART_MS * load.perSecond.length;
      noteLocal();
      opened = open(order, client);
    }
    for (const due = callsBy(load, node, nowMs - startAtMs); asked < due; asked += 1) {
      calls.push(ask(asked % TIMED_EVERY === 0));
    }
    await sleepUntil(nowMs + TICK_MS);
  }
  await Promise.all(calls);
  noteLocal();
  await opened.store.close();
  client.disconnect();
  const ascending = Float64Array.from(latenciesUs).sort();
  return { asked, admitted, decidedLocally, p50Us: percentile(ascending, 0.5), p99Us: percentile(ascending, 0.99) };
}

function open({ strategy, load }: NodeOrder, client: Redis) {
  const options = { timeout: "10s", onFailure: "deny" } as const;
  const limits = [perSecond(load.capacity)];
  if (strategy === "strict") {
    const store = redisStore({ client, ...options });
    return { store, limiter: createLimiter({ name: "fleet", limits, store }), decidedLocally: () => 0 };
  }
  const store = hybridStore({ client, strategy, ...options });
  const limiter = createLimiter({ name: "fleet", limits, store });
  return { store, limiter, decidedLocally: () => store.stats().decidedLocally };
}

async function sleepUntil(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms - Date.now())));
}
