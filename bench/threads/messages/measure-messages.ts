import { MessageChannel, type MessagePort } from "node:worker_threads";
import { createLimiter, type Limiter, memoryStore } from "tollgate";
import { KeyPool } from "../../workloads/key-pool.ts";
import { AMPLE } from "../limits.ts";
import { Barrier } from "../measure/barrier.ts";
import { expectCount } from "../measure/expect-count.ts";
import { startWorkers } from "../measure/start-workers.ts";
import { perSecondOf, sumOf } from "../measure/thread-sample.ts";
import type { AskerOrder } from "../measure/worker-order.ts";
import type { Plan } from "../plan.ts";
import { CAPACITY } from "../units.ts";

/** This thread owns the limiter. */
export async function measureMessages(threads: number, plan: Plan): Promise<number> {
  const limiter = createLimiter({ limits: [AMPLE], store: memoryStore() });
  const barrier = Barrier.memory();
  const orders = Array.from(
    { length: threads },
    (): AskerOrder => ({ does: "asks", plan, barrier, threads, owner: portTo(limiter) }),
  );
  const samples = await startWorkers(orders, (order) => ("owner" in order ? [order.owner] : []));
  const calls = sumOf(samples, ({ callsInAll }) => callsInAll);
  expectCount(
    "calls admitted",
    sumOf(samples, ({ admittedInAll }) => admittedInAll),
    calls,
  );
  expectCount("units taken", CAPACITY - limiter.peek(new KeyPool(1).key(0), 0).remaining, calls);
  return perSecondOf(samples);
}

/** What a thread asks this one by. */
function portTo(limiter: Limiter): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", (key: string) => port1.postMessage(limiter.allow(key)));
  return port2;
}
