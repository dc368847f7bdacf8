import { type Clock, createLimiter, memoryStore, tokenBucket } from "tollgate";

/** More than people and their scripts need, and less than would keep the service from its work. */
const CALLS_AT_ONCE = 50;
const CALLS_PER_SECOND = 10;
/** There are few tokens and routes. */
const MOST_KEYS = 1_000;

export interface OperatorRate {
  /** Seconds until a token may call again. `undefined` if it may now, and then the call counts. */
  waitSeconds(name: string): number | undefined;
  close(): void;
}

/** Limits how often each token calls: a change may compile thousands of rules. */
export function operatorRate(clock: Clock): OperatorRate {
  const store = memoryStore({ maxKeys: MOST_KEYS });
  const limiter = createLimiter({
    limits: [tokenBucket({ capacity: CALLS_AT_ONCE, refill: CALLS_PER_SECOND, per: "1s" })],
    store,
    clock,
  });
  return {
    waitSeconds: (name) => {
      const { allowed, retryAfterMs } = limiter.consume(name);
      return allowed ? undefined : Math.ceil(retryAfterMs / 1_000);
    },
    close: () => store.close(),
  };
}
