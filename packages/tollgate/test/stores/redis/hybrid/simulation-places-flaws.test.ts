import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { PLACE_FLAWS } from "./simulation/flaw.ts";
import { runPlaceSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();

/** Each planted bug is found in so many schedules. */
const SCHEDULES = 150;

describe("a simulated fleet that shares places", () => {
  it.each(PLACE_FLAWS)("finds a planted bug: $name", async (flaw) => {
    const { excess } = await runPlaceSchedules(started.redis.server.port, 1, SCHEDULES, flaw);
    expect(excess).toMatch(/^seed \d+: /);
  });
});
