import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";
import { runSchedules } from "./simulation/run-schedules.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

describe("a simulated fleet", () => {
  it("admits no more than the capacity and what refills, in any window of schedules 1 to 500", async () => {
    const { excess, admitted, leased } = await runSchedules(server.port, 1, 500);
    expect(excess).toBeUndefined();
    // Many units were spent from leases, so the schedules do test them.
    expect(leased / admitted).toBeGreaterThan(0.4);
  });
});
