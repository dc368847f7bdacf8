import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { runPlaceSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();

describe("a simulated fleet that shares places", () => {
  it("never has more in use than there are, in schedules 1 to 150", async () => {
    const { excess, admitted, leased } = await runPlaceSchedules(started.redis.server.port, 1, 150);
    expect(excess).toBeUndefined();
    // Many places came from leases, so the schedules do test them.
    expect(leased / admitted).toBeGreaterThan(0.6);
  });
});
