import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";
import { runPlaceSchedules } from "./simulation/run-schedules.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

describe("a simulated fleet that shares places", () => {
  it("never has more in use than there are, in schedules 1 to 150", async () => {
    const { excess, admitted, leased } = await runPlaceSchedules(server.port, 1, 150);
    expect(excess).toBeUndefined();
    // Many places came from leases, so the schedules do test them.
    expect(leased / admitted).toBeGreaterThan(0.6);
  });
});
