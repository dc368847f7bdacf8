import { redisStore } from "tollgate/redis";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, describe, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { ofFile } from "../../../of-file.ts";
import { freshPrefix } from "../kit/use-redis.ts";
import { startCluster } from "../servers/start-cluster.ts";
import { startRedis } from "../servers/start-redis.ts";
import { type ConnectedClient, EVERY_CLIENT } from "./kit/every-client.ts";

/** Busy machines must cause no timeout. */
const PATIENT_MS = 10_000;
/** All clients except ioredis, which has its own test files. */
const CLIENTS = EVERY_CLIENT.filter(({ name }) => name !== "ioredis");
/** Many calls, of which the store decides by the same code as over another client. */
const LONG =
  /random traces|random holders|random reservations|handle decides|sweeping changes|more than a thousand groups/;

const [server, cluster] = await Promise.all([
  ofFile(startRedis()),
  ofFile(startCluster({ primaries: 3, replicas: 0 })),
]);

describe.each(CLIENTS)("the store contract holds over $name", ({ connect, connectCluster }) => {
  describe.each([
    ["on a server", () => connect(server)],
    ["in a cluster", () => connectCluster(cluster.addresses)],
  ])("%s", (_where, open) => {
    let connected: ConnectedClient;
    beforeAll(async () => {
      connected = await open();
    });
    afterAll(async () => connected.close());

    const createStore = () => {
      // Manual clocks stand still in many cases, so keys live a day longer.
      const options = { prefix: freshPrefix(), ...BY_LIMITERS_CLOCK, timeout: PATIENT_MS };
      return redisStore({ client: connected.client, ...options });
    };

    it.each(storeContract({ createStore }).filter(({ name }) => !LONG.test(name)))("$name", async ({ run }) => {
      await run();
    });
  });
});
