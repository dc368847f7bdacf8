import { type Clock, createLimiter, type Duration, type Limiter, memoryStore, tokenBucket } from "tollgate";
import { clientIp, firstOf, type HttpFacts, header, type KeyOf, type TrustProxy } from "tollgate/node";
import type { Refill } from "./refill.ts";

const TEST_CAPACITY = 3;
const TEST_REFILL_PER_SECOND = 1;

export interface LimiterSettings {
  readonly capacity: number;
  readonly refill: Refill;
  readonly key: KeyOf;
  /** How often a sweep removes idle clients. */
  readonly sweepInterval: Duration;
  readonly clock: Clock;
}

export interface Limiters {
  readonly client: Limiter<HttpFacts>;
  readonly test: Limiter<HttpFacts>;
  /** Stops the sweeps. */
  close(): void;
}

/** @throws TollgateError if the numbers do not make a limit, such as a refill that is too fast. */
export function openLimiters(settings: LimiterSettings): Limiters {
  const { capacity, refill, key, sweepInterval, clock } = settings;
  const clientLimit = tokenBucket({ capacity, refill: refill.units, per: refill.per });
  const testLimit = tokenBucket({ capacity: TEST_CAPACITY, refill: TEST_REFILL_PER_SECOND, per: "1s" });
  // Made after the limits, which may throw: the store has a timer.
  const store = memoryStore({ sweepInterval });
  const common = { key, store, clock };
  return {
    client: createLimiter({ ...common, name: "client", limits: [clientLimit] }),
    test: createLimiter({ ...common, name: "test", limits: [testLimit] }),
    close: () => store.close(),
  };
}

/**
 * The key of a client: its API key, or else its address. An empty API key counts as missing. A unix socket and a closed
 * connection have no address.
 *
 * @throws TollgateError `ERR_OPTION` if the trust is malformed.
 */
export function clientKey(trustProxy: TrustProxy): KeyOf {
  return firstOf(header("x-api-key"), clientIp({ trustProxy }));
}
