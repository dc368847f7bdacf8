import { RateLimiterCluster } from "rate-limiter-flexible";
import { WINDOW_MS } from "../process/rivals.ts";

/** Unanswered calls of each process. */
const IN_FLIGHT = 64;

export type Order = { readonly untilMs: number };
/** `calls` of this process until then, and the points that all processes have consumed. */
export type Reply = { readonly calls: number; readonly points: number };

/** Asks the primary process whenever it is ordered to. Ends with the connection to it. */
export function workInCluster(): void {
  const limiter = new RateLimiterCluster({ keyPrefix: "bench", points: 200_000_000, duration: WINDOW_MS / 1_000 });
  const obey = async ({ untilMs }: Order): Promise<void> => {
    let calls = 0;
    // A denial rejects, and ends the measurement.
    const keepAsking = async () => {
      for (; Date.now() < untilMs; calls += 1) await limiter.consume("192.0.2.7");
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
    const points = (await limiter.get("192.0.2.7"))?.consumedPoints ?? 0;
    process.send?.({ calls, points } satisfies Reply);
  };
  // The limiter's own messages come here as well.
  process.on("message", (message: object) => {
    if ("untilMs" in message) void obey(message as Order);
  });
  process.on("disconnect", () => process.exit());
  void obey({ untilMs: 0 });
}
