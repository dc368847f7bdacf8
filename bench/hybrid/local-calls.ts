import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { createLimiter, tokenBucket } from "tollgate";
import { hybridStore } from "tollgate/hybrid";
import { type Figures, spreadOf } from "../harness/figures.ts";
import { expectCount } from "../harness/measuring.ts";

export const LOCAL_ROWS = {
  memory: "`allow`, memory store",
  allowLocal: "`allowLocal`, hybrid store",
  allow: "`await allow`, hybrid store",
} as const;

export interface LocalOrder {
  readonly port: number;
  readonly keys: number;
  readonly rounds: number;
}

const CALLS = 20_000;
/** The node learns the demand in so many rounds. */
const WARM_UP = 40;
/** Rounds in which more calls than these had to ask the server do not count. */
const MOST_ASKED = CALLS / 100;

/** Calls that a lease covers, beside `allow` of a memory store, in turns and with the same keys. */
export async function measureLocalCalls({ port, keys, rounds }: LocalOrder): Promise<Record<string, Figures>> {
  const redis = new Redis(port);
  // Leases of a second, of millions of units: what is measured is the call, not its renewal.
  const limits = [tokenBucket({ name: "calls", capacity: 80_000_000, refill: 80_000_000, per: "10s" })];
  const store = hybridStore({ client: redis, onFailure: "deny" });
  const hybrid = createLimiter({ name: `local ${keys}`, limits, store });
  const memory = createLimiter({ name: "memory", limits });
  const texts = Array.from({ length: keys }, (_, i) => `key ${i}`);
  const times = { memory: [] as number[], allowLocal: [] as number[], allow: [] as number[] };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const counted = { asked: 0, admitted: 0 };
    const ns = {
      allow: await nsOf(async () => {
        for (let i = 0; i < CALLS; i += 1) await hybrid.allow(texts[i % keys]!);
      }),
      allowLocal: await nsOf(() => {
        for (let i = 0; i < CALLS; i += 1) if (hybrid.allowLocal(texts[i % keys]!) === undefined) counted.asked += 1;
      }),
      memory: await nsOf(() => {
        for (let i = 0; i < CALLS; i += 1) if (memory.allow(texts[i % keys]!)) counted.admitted += 1;
      }),
    };
    expectCount("calls admitted", counted.admitted, CALLS);
    if (round >= 0 && counted.asked <= MOST_ASKED) for (const row of ROWS) times[row].push(ns[row]);
    await sleep(15);
  }
  await store.close();
  redis.disconnect();
  if (times.memory.length < rounds / 2) throw new Error("leases did not cover the calls of most rounds");
  return Object.fromEntries(ROWS.map((row) => [row, { [`${keys}`]: spreadOf(times[row]).median }]));
}

const ROWS = Object.keys(LOCAL_ROWS) as (keyof typeof LOCAL_ROWS)[];

async function nsOf(work: () => void | Promise<void>): Promise<number> {
  const begunMs = performance.now();
  await work();
  return ((performance.now() - begunMs) * 1e6) / CALLS;
}
