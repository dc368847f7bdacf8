import { describe, expect, it } from "vitest";
import { useRedis } from "../kit/use-redis.ts";
import { FLAWS } from "./simulation/flaw.ts";
import { runSchedules } from "./simulation/run-schedules.ts";
import { ScaleRun } from "./simulation/scale.ts";
import { SimRedis } from "./simulation/sim-redis.ts";

const started = useRedis();

const SCHEDULES = 2_000;
/** Each planted bug is found in so many schedules. */
const FLAWED_SCHEDULES = 600;
/** `npm run chaos` has other schedules in each round. */
const FIRST = 1 + SCHEDULES * (Number(process.env["CHAOS_SEED"] ?? 1) - 1);

describe("a simulated fleet", () => {
  it("admits no more than the capacity and what refills, in any window", async () => {
    const { excess, admitted, leased } = await runSchedules(started.redis.server.port, FIRST, SCHEDULES);
    expect(excess).toBeUndefined();
    // Many units were spent from leases, so the schedules do test them.
    expect(leased / admitted).toBeGreaterThan(0.4);
  });

  it.each(FLAWS)("finds a planted bug: $name", async (flaw) => {
    const { excess } = await runSchedules(started.redis.server.port, 1, FLAWED_SCHEDULES, flaw);
    expect(excess).toMatch(/^seed \d+: \d+\.\d+ units in a window/);
  });
});

async function simulate(nodes: number, factor: number) {
  const redis = await SimRedis.connect(started.redis.server.port);
  const result = await new ScaleRun(redis, { nodes, capacity: 20_000, factor, refills: 8 }).run();
  redis.close();
  return result;
}

describe("a large simulated fleet", () => {
  it.each([
    [4, 10 * Math.sqrt(4)],
    [64, (10 * 64) / 3],
  ])("of %d nodes renews as often as docs/internals/leases.md says", async (nodes, renewals) => {
    const { requests, admittedPart } = await simulate(nodes, 0.95);
    expect(requests / renewals).toBeGreaterThan(0.9);
    expect(requests / renewals).toBeLessThan(1.02);
    expect(admittedPart).toBe(1);
  });

  it.each([16, 64])("of %d nodes under overload admits what refills, although nodes pause", async (nodes) => {
    const { requests, admittedPart } = await simulate(nodes, 2);
    expect(admittedPart).toBeGreaterThan(0.97);
    expect(requests).toBeLessThan(4 * nodes);
  });
});
