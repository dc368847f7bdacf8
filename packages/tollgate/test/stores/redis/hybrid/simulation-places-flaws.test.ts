import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";
import { PLACE_FLAWS } from "./simulation/flaw.ts";
import { runPlaceSchedules } from "./simulation/run-schedules.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** Each planted bug is found in so many schedules. */
const SCHEDULES = 150;

describe("a simulated fleet that shares places", () => {
  it.each(PLACE_FLAWS)("finds a planted bug: $name", async (flaw) => {
    const { excess } = await runPlaceSchedules(server.port, 1, SCHEDULES, flaw);
    expect(excess).toMatch(/^seed \d+: /);
  });
});
