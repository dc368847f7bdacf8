import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { HybridStats } from "tollgate/hybrid";
import { sharedStore } from "tollgate/shared";
import { describe, expect, it } from "vitest";
import { DIST } from "../../../shared/threads/library.ts";
import { freshPrefix, useRedis } from "../../kit/use-redis.ts";

const started = useRedis();

const ENTRY = new URL("lease-worker.mjs", import.meta.url);
const WORKERS = 4;
const CAPACITY = 2_000;
const OPEN = 1;
const STOP = 2;

interface Load {
  /** The part of the rate that all workers offer together. */
  readonly load: number;
  readonly forMs: number;
  /** Whether they hold leases together. */
  readonly together: boolean;
  /** When one of them is terminated. */
  readonly killAfterMs?: number;
}

/** Runs four threads. @returns what they were admitted, what the limit allows, and their stores' figures. */
async function offer({ load, forMs, together, killAfterMs }: Load) {
  const store = sharedStore({ maxKeys: 1_000, maxBytes: 2 ** 24 });
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const admitted = new Int32Array(new SharedArrayBuffer(4 * WORKERS));
  const perSecond = (load * CAPACITY) / WORKERS;
  const common = { dist: DIST, port: started.redis.server.port, prefix: freshPrefix(), capacity: CAPACITY, perSecond };
  const handle = together ? store.handle : undefined;
  const workers = Array.from({ length: WORKERS }, (_, index) => {
    const worker = new Worker(ENTRY, { workerData: { ...common, handle, gate, admitted, index } });
    return { worker, messages: on(worker, "message") as AsyncIterator<unknown[]> };
  });
  for (const { messages } of workers) await messages.next();
  const startMs = performance.now();
  const set = (value: number) => {
    Atomics.store(gate, 0, value);
    Atomics.notify(gate, 0);
  };
  set(OPEN);
  if (killAfterMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    await workers.shift()!.worker.terminate();
  }
  await new Promise((resolve) => setTimeout(resolve, forMs - (performance.now() - startMs)));
  set(STOP);
  const stats: HybridStats[] = [];
  for (const { messages } of workers) stats.push((await messages.next()).value[0] as HybridStats);
  const tookMs = performance.now() - startMs;
  for (const { worker } of workers) await worker.terminate();
  return { admitted: admitted.reduce((sum, its) => sum + its, 0), most: CAPACITY * (1 + tookMs / 1_000), stats };
}

describe("four threads of a process", () => {
  it("send fewer requests with leases that they hold together than as four nodes", async () => {
    const calls = { apart: 0, together: 0 };
    for (const way of ["apart", "together"] as const) {
      calls[way] = await started.redis.callsOf(async () => {
        const { admitted, most } = await offer({ load: 0.9, forMs: 2_000, together: way === "together" });
        expect(admitted).toBeLessThanOrEqual(most);
        expect(admitted).toBeGreaterThan(CAPACITY);
      });
    }
    expect(calls.together).toBeLessThan(calls.apart);
  });

  it("admit no more than the limit, of which one is terminated", async () => {
    const { admitted, most, stats } = await offer({ load: 5, forMs: 2_500, together: true, killAfterMs: 700 });
    expect(admitted).toBeLessThanOrEqual(most);
    expect(admitted).toBeGreaterThan(CAPACITY);
    // The terminated thread does not answer. The others did spend leases.
    expect(stats).toHaveLength(WORKERS - 1);
    expect(stats.reduce((sum, { spent }) => sum + spent, 0)).toBeGreaterThan(0);
  });
});
