import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { runSchedules } from "./simulation/run-schedules.ts";

const started = useRedis();

describe("a simulated fleet", () => {
  it("admits no more than the capacity and what refills, in any window of schedules 1501 to 2000", async () => {
    const { excess, admitted, leased } = await runSchedules(started.redis.server.port, 1501, 500);
    expect(excess).toBeUndefined();
    // Many units were spent from leases, so the schedules do test them.
    expect(leased / admitted).toBeGreaterThan(0.4);
  });
});
