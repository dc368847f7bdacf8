import { RateLimiterCluster } from "rate-limiter-flexible";
import { createLimiter } from "tollgate";
import { clusterStore } from "tollgate/cluster";
import { WINDOW_MS } from "../process/rivals.ts";
import type { Rival } from "./orders.ts";
import { LIMITER } from "./shared.ts";

/** Unanswered calls of each process. */
const IN_FLIGHT = 256;
const KEY = "192.0.2.7";

export type Order = { readonly untilMs: number };
/** `calls` of this process until then, and the points that all processes have consumed. */
export type Reply = { readonly calls: number; readonly points: number };

interface Contender {
  consume(): Promise<unknown>;
  points(): Promise<number>;
}

const CONTENDERS: Readonly<Record<Rival, () => Contender>> = {
  flexible: () => {
    const limiter = new RateLimiterCluster({ keyPrefix: "bench", points: 200_000_000, duration: WINDOW_MS / 1_000 });
    return {
      // A denial rejects, and ends the measurement.
      consume: () => limiter.consume(KEY),
      points: async () => (await limiter.get(KEY))?.consumedPoints ?? 0,
    };
  },
  tollgate: () => {
    const limiter = createLimiter({ ...LIMITER, store: clusterStore({ timeout: "10s" }) });
    return {
      consume: async () => {
        const { allowed, degraded } = await limiter.consume(KEY);
        if (!allowed || degraded !== undefined) throw new Error(`denied or degraded: ${degraded}`);
      },
      points: async () => LIMITER.limits[0].capacity - (await limiter.peek(KEY, 0)).remaining!,
    };
  },
};

/** Asks the primary process whenever it is ordered to. Ends with the connection to it. */
export function workInCluster(rival: Rival): void {
  const contender = CONTENDERS[rival]();
  const obey = async ({ untilMs }: Order): Promise<void> => {
    let calls = 0;
    const keepAsking = async () => {
      for (; Date.now() < untilMs; calls += 1) await contender.consume();
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, keepAsking));
    process.send?.({ calls, points: await contender.points() } satisfies Reply);
  };
  // The limiter's own messages come here as well.
  process.on("message", (message: object) => {
    if ("untilMs" in message) void obey(message as Order);
  });
  process.on("disconnect", () => process.exit());
  void obey({ untilMs: 0 });
}
