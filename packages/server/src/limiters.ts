import { type Clock, createLimiter, type Limiter, memoryStore, type Observation, tokenBucket } from "tollgate";
import type { HttpFacts, TrustProxy } from "tollgate/node";
import { clientKey } from "./client-key.ts";

const TEST_CAPACITY = 3;
const TEST_REFILL_PER_SECOND = 1;

export interface LimiterSettings {
  readonly capacity: number;
  readonly refillPerSecond: number;
  readonly trustProxy: TrustProxy;
  /** Milliseconds between the sweeps that let idle clients go. */
  readonly sweepIntervalMs: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export interface Limiters {
  readonly client: Limiter<HttpFacts>;
  readonly test: Limiter<HttpFacts>;
  /** Stops the sweeps. */
  close(): void;
}

/** @throws TollgateError when the numbers make no limit, such as a refill that is too fast, or the trust is none. */
export function openLimiters(settings: LimiterSettings): Limiters {
  const { capacity, refillPerSecond, sweepIntervalMs, clock, log } = settings;
  const key = clientKey(settings.trustProxy);
  const clientLimit = tokenBucket({ capacity, refill: refillPerSecond, per: "1s" });
  const testLimit = tokenBucket({ capacity: TEST_CAPACITY, refill: TEST_REFILL_PER_SECOND, per: "1s" });
  // Opened after the limits, which may throw: it has a timer.
  const store = memoryStore({ sweepIntervalMs });
  const observe = (observation: Observation): void => {
    if (observation.type !== "sweep") return;
    const { limiter, removed, remaining } = observation;
    log(`sweep limiter=${limiter} removed=${removed} remaining=${remaining}`);
  };
  const common = { key, store, clock, observe };
  return {
    client: createLimiter({ ...common, name: "client", limits: [clientLimit] }),
    test: createLimiter({ ...common, name: "test", limits: [testLimit] }),
    close: () => store.close(),
  };
}
