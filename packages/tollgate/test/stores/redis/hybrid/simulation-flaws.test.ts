import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { FLAWS } from "./simulation/flaw.ts";
import { runSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();

/** Each planted bug is found in so many schedules. */
const SCHEDULES = 600;

describe("a simulated fleet", () => {
  it.each(FLAWS)("finds a planted bug: $name", async (flaw) => {
    const { excess } = await runSchedules(started.redis.server.port, 1, SCHEDULES, flaw);
    expect(excess).toMatch(/^seed \d+: \d+\.\d+ units in a window/);
  });
});
