import { RateLimiterCluster } from "rate-limiter-flexible";
import { KeyPool } from "../harness/keys.ts";
import { monotonicMs } from "../harness/measuring.ts";
import { WINDOW_MS } from "../process/rivals.ts";
import { CAPACITY, IN_FLIGHT } from "./rows.ts";
import type { Counted } from "./window.ts";

export type Order = { readonly untilMs: number };

export interface Reply extends Counted {
  readonly endMs: number;
  /** Consumed by all processes. */
  readonly points: number;
}

/** Asks the primary process whenever it orders to. Ends with the connection to it. */
export function workInCluster(): void {
  const key = new KeyPool(1).key(0);
  const limiter = new RateLimiterCluster({ keyPrefix: "bench", points: CAPACITY, duration: WINDOW_MS / 1_000 });
  const obey = async ({ untilMs }: Order): Promise<void> => {
    const counted = await decideUntil(untilMs, limiter, key);
    const endMs = monotonicMs();
    const points = (await limiter.get(key))?.consumedPoints ?? 0;
    process.send?.({ ...counted, endMs, points } satisfies Reply);
  };
  // The limiter's own messages come here as well.
  process.on("message", (message: object) => {
    if ("untilMs" in message) void obey(message as Order);
  });
  process.on("disconnect", () => process.exit());
  void obey({ untilMs: 0 });
}

/** A denial rejects, and ends the measurement. */
async function decideUntil(untilMs: number, limiter: RateLimiterCluster, key: string): Promise<Counted> {
  let calls = 0;
  const keepAsking = async () => {
    for (; monotonicMs() < untilMs; calls += 1) await limiter.consume(key);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
  return { calls, admitted: calls };
}
