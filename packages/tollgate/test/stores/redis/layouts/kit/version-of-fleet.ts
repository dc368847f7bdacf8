import { fileURLToPath, pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import type * as Tollgate from "tollgate";
import type * as TollgateRedis from "tollgate/redis";
import type { VersionOrders, VersionTally } from "./versions.ts";

/** A version of a deployment: it reports when it is connected, takes on a message, and reports its tally. */
const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("../../../../../src", import.meta.url));
const { createLimiter, fixedWindow, slidingWindow, tokenBucket } = (await import(
  String(pathToFileURL(`${source}/index.ts`))
)) as typeof Tollgate;
const { redisStore } = (await import(String(pathToFileURL(`${source}/stores/redis/index.ts`)))) as typeof TollgateRedis;

const { port, prefix, kind, capacity, seconds } = JSON.parse(process.argv[2]!) as VersionOrders;

const LIMITS = {
  bucket: tokenBucket({ name: "calls", capacity, refill: capacity, per: "1s" }),
  sliding: slidingWindow({ name: "calls", limit: capacity, window: "1s" }),
  fixed: fixedWindow({ name: "calls", limit: capacity, window: "1s" }),
};

async function takeAll(client: Redis): Promise<VersionTally> {
  const store = redisStore({ client, prefix, timeout: "20s", onFailure: "deny", denyCache: false });
  const limiter = createLimiter({ name: "fleet", limits: [LIMITS[kind]], store });
  const tally = { asked: 0, admitted: 0, degraded: 0, fromMs: Date.now(), untilMs: 0 };
  while (Date.now() - tally.fromMs < seconds * 1_000) {
    const decisions = await Promise.all(Array.from({ length: 1 + (tally.asked % 5) }, () => limiter.consume("all")));
    tally.asked += decisions.length;
    tally.admitted += decisions.filter(({ allowed }) => allowed).length;
    tally.degraded += decisions.filter(({ degraded }) => degraded !== undefined).length;
  }
  await store.close();
  return { ...tally, untilMs: Date.now() };
}

process.once("disconnect", () => process.exit());
const client = new Redis(port);
await client.ping();
process.once("message", () => {
  void takeAll(client).then((tally) => process.send?.(tally));
});
process.send?.("ready");
