import { Redis } from "ioredis";
import { type AsyncLimiter, createLimiter, type Limiter, tokenBucket } from "tollgate";
import { hybridStore } from "tollgate/hybrid";

/** What a call takes, in nanoseconds: the medians of all rounds. */
export interface LocalCalls {
  readonly keys: number;
  readonly allowOfMemoryNs: number;
  readonly allowLocalNs: number;
  /** With its promise, which the loop awaits. */
  readonly allowNs: number;
}

const ROUNDS = 80;
const CALLS = 20_000;
/** The node learns the demand in so many rounds. */
const WARM_UP = 40;
/** Rounds in which more calls than these had to ask the server do not count. */
const MOST_ASKED = CALLS / 100;

/** Calls that a lease covers, beside `allow` of a memory store, in turns and with the same keys. */
export async function measureLocalCalls(port: number, keyCount: number): Promise<LocalCalls> {
  const redis = new Redis(port);
  // Leases of a second, of millions of units: what is measured is the call, not its renewal.
  const limits = [tokenBucket({ name: "calls", capacity: 80_000_000, refill: 80_000_000, per: "10s" })];
  const store = hybridStore({ redis, onFailure: "deny" });
  const hybrid = createLimiter({ name: `local ${keyCount}`, limits, store });
  const memory = createLimiter({ name: "memory", limits });
  const keys = Array.from({ length: keyCount }, (_, i) => `key ${i}`);
  const times = { allow: [] as number[], allowLocal: [] as number[], memory: [] as number[] };
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const allowNs = await allow(hybrid, keys);
    const { ns, asked } = allowLocal(hybrid, keys);
    const memoryNs = allowOfMemory(memory, keys);
    if (round >= WARM_UP && asked <= MOST_ASKED) {
      times.allow.push(allowNs);
      times.allowLocal.push(ns);
      times.memory.push(memoryNs);
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  await store.close();
  redis.disconnect();
  if (times.memory.length < ROUNDS / 2) throw new Error("leases did not cover the calls of most rounds");
  return {
    keys: keyCount,
    allowOfMemoryNs: medianOf(times.memory),
    allowLocalNs: medianOf(times.allowLocal),
    allowNs: medianOf(times.allow),
  };
}

export function localTable(rows: readonly LocalCalls[]): string {
  const head =
    "| keys | `allow`, memory store | `allowLocal` | of `allow` | `await allow` |\n| --- | --- | --- | --- | --- |";
  const lines = rows.map(
    ({ keys, allowOfMemoryNs, allowLocalNs, allowNs }) =>
      `| ${keys} | ${allowOfMemoryNs.toFixed(0)} ns | ${allowLocalNs.toFixed(0)} ns | ${(allowLocalNs / allowOfMemoryNs).toFixed(2)} | ${allowNs.toFixed(0)} ns |`,
  );
  return [head, ...lines].join("\n");
}

async function allow(limiter: AsyncLimiter, keys: readonly string[]): Promise<number> {
  const begunMs = performance.now();
  for (let i = 0; i < CALLS; i += 1) await limiter.allow(keys[i % keys.length]!);
  return nsSince(begunMs);
}

function allowLocal(limiter: AsyncLimiter, keys: readonly string[]): { ns: number; asked: number } {
  let asked = 0;
  const begunMs = performance.now();
  for (let i = 0; i < CALLS; i += 1) if (limiter.allowLocal(keys[i % keys.length]!) === undefined) asked += 1;
  return { ns: nsSince(begunMs), asked };
}

function allowOfMemory(limiter: Limiter, keys: readonly string[]): number {
  let admitted = 0;
  const begunMs = performance.now();
  for (let i = 0; i < CALLS; i += 1) if (limiter.allow(keys[i % keys.length]!)) admitted += 1;
  const ns = nsSince(begunMs);
  if (admitted !== CALLS) throw new Error("the memory store denied calls");
  return ns;
}

function nsSince(begunMs: number): number {
  return ((performance.now() - begunMs) * 1e6) / CALLS;
}

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
