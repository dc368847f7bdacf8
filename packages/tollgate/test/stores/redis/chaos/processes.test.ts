import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RedisServer } from "../servers/redis-server.ts";
import { startRedis } from "../servers/start-redis.ts";
import { takeInProcesses } from "./kit/processes.ts";

const CAPACITY = 1_000;
const CLIENTS = [12, 12, 13, 13];

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => server.stop());

describe("50 clients in four processes with a capacity of 1,000", () => {
  it.each([1, 3] as const)("50 clients in four processes are admitted 1,000 times, limits: %i", async (limits) => {
    const { port } = server;
    const orders = { port, prefix: `c-${limits}`, limits, capacity: CAPACITY, rounds: 7, atOnce: 8 };
    const tallies = await takeInProcesses(CLIENTS.map((clients) => ({ ...orders, clients })));
    expect(tallies).toHaveLength(50);
    const sum = (of: "admitted" | "asked" | "degraded") => tallies.reduce((total, tally) => total + tally[of], 0);
    expect({ asked: sum("asked"), admitted: sum("admitted"), degraded: sum("degraded") }).toEqual({
      asked: 3_150,
      admitted: CAPACITY,
      degraded: 0,
    });
  });
});
