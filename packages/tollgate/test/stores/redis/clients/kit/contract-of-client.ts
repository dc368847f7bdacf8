import { redisStore } from "tollgate/redis";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeAll, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../../src/stores/redis/limiters-clock.ts";
import { freshPrefix } from "../../kit/use-redis.ts";
import { type ConnectedClient, EVERY_CLIENT } from "./every-client.ts";

/** Busy machines must cause no timeout. */
const PATIENT_MS = 10_000;

/** All clients except ioredis, which has its own test files. */
export const CLIENTS = EVERY_CLIENT.filter(({ name }) => name !== "ioredis");

/** The cases of the store contract over one client. */
export function itKeepsTheContract(connect: () => Promise<ConnectedClient>): void {
  let connected: ConnectedClient;
  beforeAll(async () => {
    connected = await connect();
  });
  afterAll(async () => connected.close());

  const createStore = () => {
    const { client } = connected;
    // Manual clocks stand still in many cases, so keys live a day longer.
    return redisStore({ client, prefix: freshPrefix(), ...BY_LIMITERS_CLOCK, timeout: PATIENT_MS });
  };
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
}
