import { createLimiter, perDay, slidingWindow } from "tollgate";
import { type RedisStore, redisStore } from "tollgate/redis";
import { expect, it, onTestFinished } from "vitest";
import { ofFile } from "../../../of-file.ts";
import { EVERY_CLIENT } from "../clients/kit/every-client.ts";
import { freshPrefix } from "../kit/use-redis.ts";
import { startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";

/** Busy machines must cause no timeout. */
const PATIENT_MS = 10_000;
const LIMITS = [perDay(100), slidingWindow({ limit: 500, window: "1d", unit: "tokens" })];

const [server, cluster] = await Promise.all([
  ofFile(startRedis()),
  ofFile(startCluster({ primaries: 3, replicas: 0 })),
]);

const USED: readonly number[] = [2, 12];

it.each(
  EVERY_CLIENT.flatMap((client) => [
    { where: "on a server", name: client.name, open: () => client.connect(server) },
    { where: "in a cluster", name: client.name, open: () => client.connectCluster(cluster.addresses) },
  ]),
)("a reservation is kept over $name $where, and settled by another process", async ({ open }) => {
  const prefix = freshPrefix();
  const storeOf = async (): Promise<RedisStore> => {
    const { client, close } = await open();
    onTestFinished(close);
    return redisStore({ client, prefix, timeout: PATIENT_MS });
  };
  const [one, other] = await Promise.all([storeOf(), storeOf()]);
  const limiter = createLimiter({ name: "api", limits: LIMITS, store: one });
  const id = await (await limiter.reserve("änn }{\u{1f600}", { requests: 2, tokens: 30 })).keep("10m");
  expect(await other.reservation(id).charge({ tokens: 5 })).toBe(true);
  expect(await other.reservation(id).settle({ tokens: 12 })).toBe(true);
  expect(await one.reservation(id).settle({ tokens: 12 })).toBe(false);
  expect((await limiter.explain("änn }{\u{1f600}")).map(({ used }) => used)).toEqual(USED);
});
