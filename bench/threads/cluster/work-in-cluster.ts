import { RateLimiterCluster } from "rate-limiter-flexible";
import { WINDOW_MS } from "../../rivals/limits.ts";
import { KeyPool } from "../../workloads/key-pool.ts";
import { monotonicMs } from "../measure/monotonic.ts";
import { CAPACITY, IN_FLIGHT } from "../units.ts";
import type { Order, Said } from "./messages.ts";

/** The part of a process that asks the primary one. */
export function workInCluster(): void {
  const key = new KeyPool(1).key(0);
  const limiter = new RateLimiterCluster({ keyPrefix: "bench", points: CAPACITY, duration: WINDOW_MS / 1_000 });
  const say = (said: Said) => process.send?.(said);
  const obey = async (order: Order) => {
    if (order.order === "decide") say(await decideUntil(order.untilMs, limiter, key));
    else say({ said: "consumed", points: (await limiter.get(key))?.consumedPoints ?? 0 });
  };
  // The limiter's own messages come here, too.
  process.on("message", (message: object) => {
    if ("order" in message) void obey(message as Order);
  });
  process.on("disconnect", () => process.exit());
  say({ said: "ready" });
}

async function decideUntil(untilMs: number, limiter: RateLimiterCluster, key: string): Promise<Said> {
  let calls = 0;
  let admitted = 0;
  const keepAsking = async () => {
    while (monotonicMs() < untilMs) {
      calls += 1;
      try {
        await limiter.consume(key);
        admitted += 1;
      } catch (denial) {
        // A denial is a rejection with a result; an error is one with an Error.
        if (denial instanceof Error) throw denial;
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
  return { said: "decided", calls, admitted, endMs: monotonicMs() };
}
