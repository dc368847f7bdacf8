import { Redis } from "ioredis";
import type * as Tollgate from "tollgate";
import type * as TollgateHybrid from "tollgate/hybrid";
import { keysOf } from "../../../../../../../bench/hybrid/keys.ts";
import { callsBy, type Load } from "../../../../../../../bench/hybrid/loads.ts";
import { load } from "../kit/load-source.ts";
import { sharedNowMs as nowMs, SLOT_MS } from "./shared-clock.ts";

const { createLimiter, perSecond } = await load<typeof Tollgate>("index.ts");
const { hybridStore } = await load<typeof TollgateHybrid>("stores/hybrid/index.ts");

/** What a process of the fleet does next. Times are those of `process.hrtime`, which all processes share. */
export interface FleetOrder {
  readonly prefix: string;
  /** The loads come at the same time. */
  readonly loads: readonly Load[];
  readonly node: number;
  /** The moment from which slots are counted. */
  readonly zeroMs: number;
  readonly startMs: number;
  readonly forMs: number;
}

/** Calls for a key that were admitted, by the slots in which they began and ended. */
export interface AdmittedCalls {
  readonly key: number;
  readonly beganSlot: number;
  readonly endedSlot: number;
  readonly calls: number;
}

export interface FleetResult {
  readonly asked: number;
  readonly decidedLocally: number;
  readonly admitted: readonly AdmittedCalls[];
}

const TICK_MS = 2;

const redis = new Redis(Number(process.argv[2]));
await redis.ping();

async function run(order: FleetOrder): Promise<FleetResult> {
  const { prefix, loads, node, zeroMs, startMs, forMs } = order;
  const store = hybridStore({ client: redis, prefix, timeout: "20s", onFailure: "deny" });
  const limiter = createLimiter({ name: "fleet", limits: [perSecond(loads[0]!.capacity)], store });
  const admitted = new Map<string, AdmittedCalls>();
  const asked = loads.map(() => 0);
  const pending = new Set<Promise<void>>();
  const slot = () => Math.floor((nowMs() - zeroMs) / SLOT_MS);
  const keyOf = keysOf(loads[0]!.keys);
  const ask = async (): Promise<void> => {
    const [key, beganSlot] = [keyOf(), slot()];
    if (!(await limiter.allow(`key ${key}`))) return;
    const endedSlot = slot();
    const name = `${key} ${beganSlot} ${endedSlot}`;
    admitted.set(name, { key, beganSlot, endedSlot, calls: (admitted.get(name)?.calls ?? 0) + 1 });
  };
  while (nowMs() < startMs) await pass();
  for (let passedMs = nowMs() - startMs; passedMs < forMs; passedMs = nowMs() - startMs) {
    for (const [i, own] of loads.entries()) {
      const due = callsBy(own, node, passedMs);
      for (; asked[i]! < due; asked[i]! += 1) {
        const asking = ask();
        pending.add(asking);
        void asking.finally(() => pending.delete(asking));
      }
    }
    await pass();
  }
  while (pending.size > 0) await Promise.all(pending);
  const { decidedLocally } = store.stats();
  // A process that is killed next takes its leases with it.
  return { asked: asked.reduce((sum, calls) => sum + calls, 0), decidedLocally, admitted: [...admitted.values()] };
}

async function pass(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, TICK_MS));
}

process.once("disconnect", () => process.exit());
process.on("message", (order: FleetOrder) => {
  void run(order).then((result) => process.send?.(result));
});
process.send?.("ready");
