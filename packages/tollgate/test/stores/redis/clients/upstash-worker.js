import { Redis } from "@upstash/redis/cloudflare";
import { createLimiter, perHour } from "tollgate";
import { redisStore } from "tollgate/redis";

/** One limiter for all requests, made by the first. */
let limiter;

function open({ UPSTASH_URL: url, UPSTASH_TOKEN: token }) {
  const client = new Redis({ url, token, retry: { retries: 0 } });
  const store = redisStore({ client, onFailure: "deny", timeout: "300ms", connectTimeout: "300ms", warnings: false });
  limiter = createLimiter({ name: "worker", limits: [perHour(1_000)], store });
  return limiter;
}

// biome-ignore lint/style/noDefaultExport: the form of a worker
export default {
  async fetch(_request, env) {
    const { allowed, degraded } = await (limiter ?? open(env)).consume("ann");
    return Response.json({ result: { allowed, degraded } });
  },
};
