import { Redis } from "ioredis";
import {
  type AsyncLimiter,
  createLimiter,
  type Limit,
  type Limiter,
  memoryStore,
  perMinute,
  perSecond,
} from "tollgate";
import { clientIp, type HttpFacts } from "tollgate/fastify";
import { redisStore } from "tollgate/redis";
import type { Account, PlanName } from "./accounts.js";

/** One name per quota, so that an account that changes its plan keeps what it has used. */
const PLANS: Readonly<Record<PlanName, readonly Limit[]>> = {
  free: [perMinute(3, { name: "minute" })],
  pro: [perSecond(20, { name: "second" }), perMinute(600, { name: "minute" })],
};

const OF_PLANS = {
  name: "plans",
  key: (account: Account) => account.id,
  limits: (account: Account) => PLANS[account.plan],
};

export interface Limits {
  readonly ofPlans: Limiter<Account> | AsyncLimiter<Account>;
  /** Clients whose API key is unknown: guesses, in this process. */
  readonly ofGuesses: Limiter<HttpFacts>;
  close(): Promise<void>;
}

/** Redis in production, where several processes share the limits; memory in development. */
export function createLimits(redisUrl: string | undefined): Limits {
  const client = redisUrl === undefined ? undefined : connect(redisUrl);
  // While Redis is away, each of two processes admits half of each limit.
  const onFailure = { fallback: memoryStore(), share: 0.5 };
  const store = client === undefined ? memoryStore() : redisStore({ client, onFailure });
  return {
    ofPlans: createLimiter({ ...OF_PLANS, store }),
    ofGuesses: createLimiter({ name: "guesses", key: clientIp(), limits: [perMinute(5)] }),
    close: async () => {
      await store.close();
      client?.disconnect();
    },
  };
}

function connect(redisUrl: string): Redis {
  const client = new Redis(redisUrl, { retryStrategy: () => 50 });
  // The store decides what happens to calls that fail; without a listener ioredis prints each error.
  client.on("error", () => {});
  return client;
}
