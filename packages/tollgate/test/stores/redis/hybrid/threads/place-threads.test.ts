import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { concurrency, createLimiter } from "tollgate";
import type { HybridStats } from "tollgate/hybrid";
import { sharedStore } from "tollgate/shared";
import { describe, expect, it, vi } from "vitest";
import { DIST } from "../../../shared/threads/library.ts";
import { freshPrefix, useRedis } from "../../kit/use-redis.ts";

const started = useRedis();

const ENTRY = new URL("place-worker.mjs", import.meta.url);
const WORKERS = 4;
const MAX = 80;
const TTL = "2s";
const OPEN = 1;
const STOP = 2;
/** The places of a dead thread's calls expire so long after it: `ttl`, and a lease of half of it. */
const EXPIRED_MS = 20_000;

interface Load {
  /** Calls that each thread makes at a time. */
  readonly callers: number;
  readonly forMs: number;
  /** Whether they lend places together. */
  readonly together: boolean;
  /** When one of them is terminated. */
  readonly killAfterMs?: number;
}

interface Worked {
  readonly admitted: number;
  readonly stats: HybridStats;
}

/** Runs four threads. @returns the most places that were in use at a time, and what the threads did. */
async function work({ callers, forMs, together, killAfterMs }: Load, prefix = freshPrefix()) {
  const store = sharedStore({ maxKeys: 1_000, maxBytes: 2 ** 24 });
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const inUse = new Int32Array(new SharedArrayBuffer(4 * WORKERS));
  const common = { dist: DIST, port: started.redis.server.port, prefix, max: MAX, ttl: TTL, callers, mostMs: 40 };
  const handle = together ? store.handle : undefined;
  const workers = Array.from({ length: WORKERS }, (_, index) => {
    const worker = new Worker(ENTRY, { workerData: { ...common, handle, gate, inUse, index } });
    return { worker, messages: on(worker, "message") as AsyncIterator<unknown[]> };
  });
  for (const { messages } of workers) await messages.next();
  let most = 0;
  const look = setInterval(() => {
    // A thread that frees a place meanwhile may be counted with the one that gets it.
    const sums = Array.from({ length: 3 }, () => inUse.reduce((sum, _, i) => sum + Atomics.load(inUse, i), 0));
    most = Math.max(most, Math.min(...sums));
  }, 1);
  const startMs = performance.now();
  const set = (value: number) => {
    Atomics.store(gate, 0, value);
    Atomics.notify(gate, 0);
  };
  set(OPEN);
  let lost = 0;
  if (killAfterMs !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, killAfterMs));
    while (Atomics.load(inUse, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await workers.shift()!.worker.terminate();
    lost = Atomics.load(inUse, 0);
  }
  await new Promise((resolve) => setTimeout(resolve, forMs - (performance.now() - startMs)));
  clearInterval(look);
  set(STOP);
  const worked: Worked[] = [];
  for (const { messages } of workers) worked.push((await messages.next()).value[0] as Worked);
  for (const { worker } of workers) await worker.terminate();
  return { most, lost, worked };
}

function strictUsed(prefix: string): () => Promise<number | undefined> {
  const store = started.redis.store({ prefix });
  const limiter = createLimiter({ name: "fleet", limits: [concurrency({ max: MAX, ttl: TTL })], store });
  return async () => (await limiter.explain("ann"))[0]?.used;
}

describe("four threads of a process", () => {
  it("send fewer requests with places that they lend together than as four nodes", async () => {
    const calls = { apart: 0, together: 0 };
    for (const way of ["apart", "together"] as const) {
      calls[way] = await started.redis.callsOf(async () => {
        const { most, worked } = await work({ callers: 5, forMs: 2_000, together: way === "together" });
        expect(most).toBeLessThanOrEqual(MAX);
        expect(worked.reduce((sum, { admitted }) => sum + admitted, 0)).toBeGreaterThan(100);
      });
    }
    expect(calls.together).toBeLessThan(calls.apart);
  });

  it("have no more places in use than there are, of which one is terminated with places in use", async () => {
    const prefix = freshPrefix();
    const used = strictUsed(prefix);
    // The check ends before the places of the terminated thread expire.
    const { most, lost, worked } = await work({ callers: 40, forMs: 1_800, together: true, killAfterMs: 400 }, prefix);
    expect(most).toBeLessThanOrEqual(MAX);
    expect(most).toBeGreaterThan(MAX / 2);
    expect(lost).toBeGreaterThan(0);
    expect(worked).toHaveLength(WORKERS - 1);
    expect(worked.reduce((sum, { stats }) => sum + stats.spent, 0)).toBeGreaterThan(50);
    // The others have given theirs back. Those of the terminated thread come back when they have expired.
    expect(await used()).toBeGreaterThanOrEqual(lost);
    await vi.waitFor(async () => expect(await used()).toBe(0), { timeout: EXPIRED_MS, interval: 50 });
  });
});
