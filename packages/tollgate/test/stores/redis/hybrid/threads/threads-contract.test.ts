import { randomUUID } from "node:crypto";
import { hybridStore } from "tollgate/hybrid";
import { sharedStore } from "tollgate/shared";
import { storeContract } from "tollgate/testing";
import { describe, it } from "vitest";
import { useRedis } from "../../kit/use-redis.ts";

const started = useRedis();

describe("the store contract holds for leases that threads hold together", () => {
  const local = sharedStore({ maxKeys: 10_000, maxBytes: 2 ** 25 });
  const createStore = () => {
    const options = { prefix: randomUUID(), time: "client", maxSkew: "1d", timeout: "10s" } as const;
    return hybridStore({ redis: started.redis.client, local, ...options });
  };
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});
