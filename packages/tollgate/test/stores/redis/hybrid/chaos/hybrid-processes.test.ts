import { setTimeout as sleep } from "node:timers/promises";
import { type AsyncLimiter, createLimiter, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { freshPrefix, useRedis } from "../../kit/use-redis.ts";
import { NodeProcess } from "./kit/node-process.ts";

const started = useRedis();

const CAPACITY = 4_000;
/** Leases last for half of it, at most ten seconds. */
const QUICK_MS = 3_000;
const SLOW_MS = 24 * 3_600_000;
/** Enough calls for a lease. */
const CALLS = 300;
/** More than a node can hold. */
const MORE = 20_000;

/** A node that holds units, and a strict limiter with the same counts. */
async function start(refillMs: number): Promise<{ node: NodeProcess; strict: AsyncLimiter }> {
  const prefix = freshPrefix();
  const node = await NodeProcess.start({ port: started.redis.server.port, prefix, capacity: CAPACITY, refillMs });
  const limits = [tokenBucket({ capacity: CAPACITY, refill: CAPACITY, per: refillMs })];
  const strict = createLimiter({ name: "fleet", limits, store: started.redis.store({ prefix, denyCache: false }) });
  return { node, strict };
}

async function usedOf(strict: AsyncLimiter): Promise<number> {
  return (await strict.explain("one"))[0]!.used;
}

/** Takes all that is left. @returns how much. */
async function takeAll(strict: AsyncLimiter): Promise<number> {
  const { remaining } = (await strict.explain("one"))[0]!;
  return remaining > 0 && (await strict.allow("one", remaining)) ? remaining : 0;
}

describe("a node in a process of its own", () => {
  it("spends nothing of a lease that ended while the process was stopped", async () => {
    const { node, strict } = await start(QUICK_MS);
    let held = 0;
    // On a busy machine a lease may end between two messages.
    while (held === 0) {
      await node.ask({ verb: "allow", times: CALLS });
      held = await node.ask({ verb: "held" });
    }
    node.stop();
    await sleep(QUICK_MS / 2 + 100);
    const spent = node.askLater({ verb: "allowLocal", times: MORE });
    await takeAll(strict);
    node.goOn();
    expect(await spent()).toBe(0);
    expect(held).toBeGreaterThan(0);
    // It takes a new lease when it is called again.
    expect(await node.ask({ verb: "allow", times: 1 })).toBeLessThanOrEqual(1);
  });

  it("spends its lease after a stop that was shorter", async () => {
    const { node } = await start(SLOW_MS);
    await node.ask({ verb: "allow", times: CALLS });
    const held = await node.ask({ verb: "held" });
    node.stop();
    await sleep(100);
    const spent = node.askLater({ verb: "allowLocal", times: held + 10 });
    node.goOn();
    expect(await spent()).toBe(held);
  });

  it("gives back what it holds when its store is closed", async () => {
    const { node, strict } = await start(SLOW_MS);
    const admitted = await node.ask({ verb: "allow", times: CALLS });
    const held = await node.ask({ verb: "held" });
    expect(await usedOf(strict)).toBeGreaterThanOrEqual(admitted + held);
    await node.ask({ verb: "close" });
    expect(await usedOf(strict)).toBe(admitted);
  });

  it("that is killed keeps what it holds from others until its lease ends", async () => {
    const { node, strict } = await start(QUICK_MS);
    const fromMs = performance.now();
    const admitted = await node.ask({ verb: "allow", times: CALLS });
    await node.kill();
    const more = await takeAll(strict);
    const passedMs = performance.now() - fromMs;
    expect(admitted + more).toBeLessThanOrEqual(CAPACITY * (1 + (passedMs + 1) / QUICK_MS));
    // Later the bucket is full again: the lease is not forgotten.
    await sleep(1.5 * QUICK_MS + 100);
    expect(await usedOf(strict)).toBe(0);
  });
});
