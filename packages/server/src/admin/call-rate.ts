import { type Clock, createLimiter, memoryStore, tokenBucket } from "tollgate";

/** There are few tokens and routes. Addresses beyond these share what is left. */
const MOST_KEYS = 1_000;

export interface CallRate {
  /** Seconds until a token or an address may call again. `undefined` if it may now, and then the call counts. */
  waitSeconds(name: string): number | undefined;
  close(): void;
}

/** Limits how often each token or address calls. */
export function callRate(
  clock: Clock,
  { atOnce, perSecond }: { readonly atOnce: number; readonly perSecond: number },
): CallRate {
  const store = memoryStore({ maxKeys: MOST_KEYS });
  const limits = [tokenBucket({ capacity: atOnce, refill: perSecond, per: "1s" })];
  const limiter = createLimiter({ limits, store, clock });
  return {
    waitSeconds: (name) => {
      const { allowed, retryAfterMs } = limiter.consume(name);
      return allowed ? undefined : Math.ceil(retryAfterMs / 1_000);
    },
    close: () => store.close(),
  };
}
