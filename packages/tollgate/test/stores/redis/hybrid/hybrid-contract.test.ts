import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { hybridStore } from "tollgate/hybrid";
import { storeContract } from "tollgate/testing";
import { afterAll, describe, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../../src/stores/redis/limiters-clock.ts";
import { ofFile } from "../../../of-file.ts";
import { startRedis } from "../servers/start-redis.ts";

const server = await ofFile(startRedis());
const redis = new Redis(server.port);
afterAll(() => redis.disconnect());

describe("the store contract holds for the hybrid store", () => {
  const createStore = () => hybridStore({ client: redis, prefix: randomUUID(), ...BY_LIMITERS_CLOCK, timeout: "10s" });
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});

/** What this process did not charge yet stays with the list that admitted it. */
const BY_LIST = "what the server was not charged with does not move when limits change";
/** Figures and times are those of this process, until the server is asked. */
const LATER = "the server is charged later, when it is asked: units count from then on";

describe.each([
  [1, { "when limits change, random traces agree with the memory store in every figure": BY_LIST }],
  [
    0.25,
    {
      "a window of more than a thousand groups admits its rate": LATER,
      "a fixed window from first use ends its length after the first unit": LATER,
      "random traces agree with the memory store in every figure": LATER,
      "a handle decides as calls by its key do": LATER,
      "calls that are made together decide each at its own time": LATER,
      "when limits change, debt stays debt": BY_LIST,
      "when limits change, the limits that a list keeps, gains and loses keep their counts": BY_LIST,
      "when limits change, a peek moves nothing and agrees with the call after it": BY_LIST,
      "when limits change, random traces agree with the memory store in every figure": BY_LIST,
    },
  ],
])("the store contract holds for the threshold strategy, with a threshold of %d", (threshold, skip) => {
  const strategy = { strategy: "threshold", threshold, ...BY_LIMITERS_CLOCK } as const;
  const createStore = () => hybridStore({ client: redis, prefix: randomUUID(), timeout: "10s", ...strategy });
  it.each(storeContract({ createStore, skip }).filter((one) => one.skip === undefined))("$name", async ({ run }) => {
    await run();
  });
});
