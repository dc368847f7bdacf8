import { Redis } from "@upstash/redis/cloudflare";
import { createLimiter, perHour, tokenBucket } from "tollgate";
import { redisStore } from "tollgate/redis";

/** The limiters of all requests, made by the first. */
let limiters;

function open({ UPSTASH_URL: url, UPSTASH_TOKEN: token }) {
  const client = new Redis({ url, token, retry: { retries: 0 } });
  const store = redisStore({ client, onFailure: "deny", timeout: "300ms", connectTimeout: "300ms", warnings: false });
  const slow = [tokenBucket({ capacity: 1, refill: 1, per: "20ms" })];
  limiters = {
    consume: createLimiter({ name: "worker", limits: [perHour(1_000)], store }),
    wait: createLimiter({ name: "slow", limits: slow, store }),
  };
  return limiters;
}

// biome-ignore lint/style/noDefaultExport: the form of a worker
export default {
  async fetch(request, env) {
    const { route } = await request.json();
    const { allowed, degraded } = await (limiters ?? open(env))[route][route]("ann");
    return Response.json({ result: { allowed, degraded } });
  },
};
