import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { runSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();

describe("a simulated fleet", () => {
  it("admits no more than the capacity and what refills, in any window of schedules 501 to 1000", async () => {
    const { excess, admitted, leased } = await runSchedules(started.redis.server.port, 501, 500);
    expect(excess).toBeUndefined();
    // Many units were spent from leases, so the schedules do test them.
    expect(leased / admitted).toBeGreaterThan(0.4);
  });
});
