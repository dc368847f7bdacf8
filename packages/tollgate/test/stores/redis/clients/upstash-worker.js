import { Redis } from "@upstash/redis/cloudflare";
import { createLimiter, perHour, tokenBucket } from "tollgate";
import { redisStore } from "tollgate/redis";

/** The limiters of all requests, made by the first. */
let limiters;

function open({ UPSTASH_URL: url, UPSTASH_TOKEN: token }) {
  const client = new Redis({ url, token, retry: { retries: 0 } });
  const storeWithin = (timeout) =>
    redisStore({ client, onFailure: "deny", timeout, connectTimeout: timeout, warnings: false });
  const patient = storeWithin("20s");
  const slow = [tokenBucket({ capacity: 1, refill: 1, per: "20ms" })];
  limiters = {
    hurried: createLimiter({ name: "worker", limits: [perHour(1_000)], store: storeWithin("300ms") }),
    consume: createLimiter({ name: "worker", limits: [perHour(1_000)], store: patient }),
    wait: createLimiter({ name: "slow", limits: slow, store: patient }),
  };
  return limiters;
}

// biome-ignore lint/style/noDefaultExport: the form of a worker
export default {
  async fetch(request, env) {
    const { route } = await request.json();
    const limiter = (limiters ?? open(env))[route];
    const { allowed, degraded } = await (route === "wait" ? limiter.wait("ann") : limiter.consume("ann"));
    return Response.json({ result: { allowed, degraded } });
  },
};
