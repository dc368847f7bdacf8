import type { ClientRateLimitInfo, Options } from "express-rate-limit";
import { type RedisReply, RedisStore } from "rate-limit-redis";
import { type Contender, never, type Setup } from "./contender.ts";
import { DAY_MS } from "./day.ts";

/** The store alone, asked as the middleware of express-rate-limit asks it. */
export async function create({ client, limit }: Setup): Promise<Contender> {
  const store = new RedisStore({
    sendCommand: (command: string, ...args: string[]) => client.call(command, ...args) as Promise<RedisReply>,
  });
  // Of all options of the middleware the store reads this one.
  await store.init({ windowMs: DAY_MS } as Options);
  return {
    ask: (key) => store.increment(key),
    admits: (info) => (info as ClientRateLimitInfo).totalHits <= limit,
    isDenial: never,
  };
}
