import { type AsyncLimiter, createLimiter, type Decision, type Limit, tokenBucket } from "tollgate";
import { type RedisStoreOptions, redisStore } from "tollgate/redis";
import { type Contender, never, type Setup } from "./contender.ts";

/** How a limiter is called in an application; it is part of each key. */
const NAME = "api";

/** What is decided without the server is denied, and so found out. */
const HONEST = { onFailure: "deny", timeoutMs: 1_000 } as const;

export function strict(setup: Setup): Contender {
  return allowing(limiterOf(setup, [bucket(setup.limit, "1m")], { batch: false }));
}

export function batched(setup: Setup): Contender {
  return allowing(limiterOf(setup, [bucket(setup.limit, "1m")]));
}

export function threeLimits(setup: Setup): Contender {
  return allowing(
    limiterOf(setup, [bucket(setup.limit, "15s"), bucket(setup.limit, "30s"), bucket(setup.limit, "1m")]),
  );
}

export function consuming(setup: Setup): Contender {
  const limiter = limiterOf(setup, [bucket(setup.limit, "1m")]);
  return {
    ask: (key) => limiter.consume(key),
    admits: (decision) => (decision as Decision).allowed,
    isDenial: never,
  };
}

/** A unit comes back in so long: no key is full again, and so dropped, while it is asked about. */
function bucket(capacity: number, per: "15s" | "30s" | "1m"): Limit {
  return tokenBucket({ capacity, refill: 1, per });
}

function limiterOf({ client }: Setup, limits: Limit[], options: Omit<RedisStoreOptions, "client"> = {}): AsyncLimiter {
  return createLimiter({ name: NAME, limits, store: redisStore({ client, ...HONEST, ...options }) });
}

function allowing(limiter: AsyncLimiter): Contender {
  return {
    ask: (key) => limiter.allow(key),
    admits: (answer) => answer === true,
    isDenial: never,
  };
}
