import { describe, expect, it } from "vitest";
import { useRedis } from "./kit/use-redis.ts";
import { runFleets } from "./simulation/run-fleets.ts";
import { runScale } from "./simulation/scale.ts";
import { SimServer } from "./simulation/sim-server.ts";

const started = useRedis();

/** `npm run mutants` runs fewer. */
const FLEETS = Number(process.env["TOLLGATE_FLEETS"] ?? 2_000);
/** `npm run chaos` has other fleets in each round. */
const FIRST = 1 + FLEETS * (Number(process.env["CHAOS_SEED"] ?? 1) - 1);

describe("a simulated fleet", () => {
  it("admits no more than its limits, counts nothing twice, and loses nothing", async () => {
    const { contradiction, admitted, leased } = await runFleets(started.redis.server.port, FIRST, FLEETS);
    expect(contradiction).toBeUndefined();
    // Many units were spent from leases, so the fleets do test them.
    expect(leased / admitted).toBeGreaterThan(0.3);
  });
});

async function simulate(nodes: number, factor: number) {
  const server = await SimServer.connect(started.redis.server.port);
  const result = await runScale(server, { nodes, capacity: 10_000, factor, refills: 6 });
  await server.close();
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
    expect(admittedPart).toBeGreaterThan(0.999);
  });

  it.each([16, 64])("of %d nodes under overload admits what refills, although nodes pause", async (nodes) => {
    const { requests, admittedPart } = await simulate(nodes, 2);
    expect(admittedPart).toBeGreaterThan(0.97);
    expect(requests).toBeLessThan(4 * nodes);
  });
});
