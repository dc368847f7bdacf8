import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";
import { FLAWS } from "./simulation/flaw.ts";
import { runSchedules } from "./simulation/run-schedules.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** Each planted bug is found in so many schedules. */
const SCHEDULES = 600;

describe("a simulated fleet", () => {
  it.each(FLAWS)("finds a planted bug: $name", async (flaw) => {
    const { excess } = await runSchedules(server.port, 1, SCHEDULES, flaw);
    expect(excess).toMatch(/^seed \d+: \d+\.\d+ units in a window/);
  });
});
