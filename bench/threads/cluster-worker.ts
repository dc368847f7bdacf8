import { RateLimiterCluster } from "rate-limiter-flexible";
import { KeyPool } from "../harness/keys.ts";
import { monotonicMs } from "../harness/measuring.ts";
import { WINDOW_MS } from "../process/rivals.ts";
import { CAPACITY, IN_FLIGHT } from "./rows.ts";

/** A message of the primary process. */
export type Order = { readonly order: "decide"; readonly untilMs: number } | { readonly order: "count" };

/** A message to the primary process. */
export type Reply =
  | { readonly kind: "ready" }
  | { readonly kind: "decided"; readonly calls: number; readonly admitted: number; readonly endMs: number }
  | { readonly kind: "consumed"; readonly points: number };

/** Asks the primary process whenever it orders to. Ends with the connection to it. */
export function workInCluster(): void {
  const key = new KeyPool(1).key(0);
  const limiter = new RateLimiterCluster({ keyPrefix: "bench", points: CAPACITY, duration: WINDOW_MS / 1_000 });
  const reply = (message: Reply) => process.send?.(message);
  const obey = async (order: Order) => {
    if (order.order === "decide") reply(await decideUntil(order.untilMs, limiter, key));
    else reply({ kind: "consumed", points: (await limiter.get(key))?.consumedPoints ?? 0 });
  };
  // The limiter's own messages come here as well.
  process.on("message", (message: object) => {
    if ("order" in message) void obey(message as Order);
  });
  process.on("disconnect", () => process.exit());
  reply({ kind: "ready" });
}

async function decideUntil(untilMs: number, limiter: RateLimiterCluster, key: string): Promise<Reply> {
  let calls = 0;
  let admitted = 0;
  const keepAsking = async () => {
    while (monotonicMs() < untilMs) {
      calls += 1;
      try {
        await limiter.consume(key);
        admitted += 1;
      } catch (denial) {
        // A denial rejects with a result, a failure with an Error.
        if (denial instanceof Error) throw denial;
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
  return { kind: "decided", calls, admitted, endMs: monotonicMs() };
}
