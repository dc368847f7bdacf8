import { fileURLToPath, pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import type * as Tollgate from "tollgate";
import type * as TollgateRedis from "tollgate/redis";
import type { Orders, Tally } from "./processes.ts";

/**
 * A process with clients, each with its own connection, store and limiter. It reports when all are connected. On a
 * message the clients take as ordered, and the process reports their tallies.
 */
const source = process.env["TOLLGATE_SRC"] ?? fileURLToPath(new URL("../../../../../src", import.meta.url));
const { createLimiter, fixedWindow, perDay, slidingWindow } = (await import(
  String(pathToFileURL(`${source}/index.ts`))
)) as typeof Tollgate;
const { redisStore } = (await import(String(pathToFileURL(`${source}/stores/redis/index.ts`)))) as typeof TollgateRedis;

const { port, prefix, clients, limits, capacity, rounds, atOnce } = JSON.parse(process.argv[2]!) as Orders;

const LIMITS = [
  fixedWindow({ limit: capacity, window: "1d", anchor: "first-use" }),
  perDay(capacity),
  slidingWindow({ limit: capacity, window: "1d" }),
].slice(0, limits);

async function takeAll(client: Redis): Promise<Tally> {
  const store = redisStore({ client, prefix, timeout: "20s", onFailure: "deny" });
  const limiter = createLimiter({ name: "fleet", limits: LIMITS, store });
  const tally = { asked: 0, admitted: 0, degraded: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const answers = await Promise.all([
      ...Array.from({ length: atOnce }, () => limiter.allow("all")),
      limiter.consume("all").then(({ allowed, degraded }) => {
        if (degraded !== undefined) tally.degraded += 1;
        return allowed;
      }),
    ]);
    tally.asked += answers.length;
    tally.admitted += answers.filter(Boolean).length;
  }
  await store.close();
  return tally;
}

process.once("disconnect", () => process.exit());
const connected = await Promise.all(
  Array.from({ length: clients }, async () => {
    const client = new Redis(port);
    await client.ping();
    return client;
  }),
);
process.once("message", () => {
  void Promise.all(connected.map(takeAll)).then((tallies) => process.send?.(tallies));
});
process.send?.("ready");
