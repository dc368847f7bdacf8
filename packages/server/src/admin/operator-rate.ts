import type { ServerResponse } from "node:http";
import { type Clock, createLimiter, memoryStore, tokenBucket } from "tollgate";
import { sendJson } from "../http/responses.ts";

/** More than people and their scripts need, and less than would keep the service from its work. */
const CALLS_AT_ONCE = 50;
const CALLS_PER_SECOND = 10;
/** There are few tokens and routes. */
const MOST_KEYS = 1_000;

export interface OperatorRate {
  /** Seconds until a token may call again. `undefined` if it may now, and then the call counts. */
  waitSeconds(name: string): number | undefined;
  /** Answers a token, or clients without one, that call too often. Returns whether it did. */
  isTooOften(name: string, response: ServerResponse): boolean;
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
  const waitSeconds = (name: string): number | undefined => {
    const { allowed, retryAfterMs } = limiter.consume(name);
    return allowed ? undefined : Math.ceil(retryAfterMs / 1_000);
  };
  return {
    waitSeconds,
    isTooOften: (name, response) => {
      const seconds = waitSeconds(name);
      if (seconds === undefined) return false;
      sendJson(response, 429, { error: "too many calls" }, { "retry-after": String(seconds) });
      return true;
    },
    close: () => store.close(),
  };
}
