import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOADS, type Load } from "../../../../../../../bench/hybrid/loads.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import { startRedis } from "../../servers/start-redis.ts";
import { excessOf } from "./excess.ts";
import type { FleetResult } from "./fleet-node.ts";
import { FleetProcesses } from "./fleet-processes.ts";

const FOR_MS = 2_500;
const CAPACITY = 1_000;
/** Rounding of the server's clock. */
const TOLERANCE = 1;

let server: RedisServer;
let fleet: FleetProcesses;
beforeAll(async () => {
  server = await startRedis();
  fleet = new FleetProcesses(server.port);
});
afterAll(async () => {
  fleet.stop();
  await server.stop();
});

function loadOf(id: string): Load {
  const found = LOADS.find((load) => load.id === id);
  if (found === undefined) throw new Error(`expected a load of the bench, got ${id}`);
  return found;
}

function sumOf(results: readonly FleetResult[], count: (result: FleetResult) => number): number {
  return results.reduce((sum, result) => sum + count(result), 0);
}

function admittedBy({ admitted }: FleetResult): number {
  return admitted.reduce((sum, { calls }) => sum + calls, 0);
}

/** The nodes hold leases when all of them ask for everything at once. */
const PULSES: readonly Load[] = [
  { ...loadOf("0.5"), perSecond: [120, 120, 120, 120] },
  { ...loadOf("pulses"), pulseMs: 700 },
];

describe("four processes with a bucket of 1,000 units a second", () => {
  it.each([
    ["half of the rate", [loadOf("0.5")]],
    ["0.95 times the rate", [loadOf("0.95")]],
    ["twice the rate", [loadOf("2")]],
    ["five times the rate", [loadOf("5")]],
    ["twice the rate, 90 % of it on one process", [loadOf("skewed")]],
    ["pulses of two capacities", [loadOf("pulses")]],
    ["pulses while leases are out", PULSES],
  ])("admit no more than the capacity and what refills, in any window: %s", async (_name, loads) => {
    const results = await fleet.run(loads, FOR_MS);
    expect(excessOf(results, CAPACITY, CAPACITY)).toBeLessThanOrEqual(TOLERANCE);
    expect(sumOf(results, admittedBy)).toBeGreaterThan(CAPACITY);
  });

  it("admit no more than that of each of 10,000 keys, chosen by Zipf's law", async () => {
    const zipf = loadOf("zipf");
    const results = await fleet.run([zipf], FOR_MS);
    expect(excessOf(results, zipf.capacity, zipf.capacity)).toBeLessThanOrEqual(TOLERANCE);
    // The first keys are asked for more than their limits allow, and leased.
    const ofFirst = results.flatMap(({ admitted }) => admitted).filter(({ key }) => key === 0);
    expect(ofFirst.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(zipf.capacity);
    expect(sumOf(results, ({ decidedLocally }) => decidedLocally)).toBeGreaterThan(100);
    expect(sumOf(results, admittedBy)).toBeLessThan(sumOf(results, ({ asked }) => asked));
  });

  it("decide most calls without the server", async () => {
    const results = await fleet.run([loadOf("0.95")], FOR_MS);
    expect(sumOf(results, ({ decidedLocally }) => decidedLocally)).toBeGreaterThan(
      sumOf(results, ({ asked }) => asked) / 2,
    );
  });

  it("admit no more than that while two of them are killed and replaced each second", async () => {
    const results = await fleet.runWithDeaths([loadOf("2")], 3);
    expect(results).toHaveLength(8);
    expect(excessOf(results, CAPACITY, CAPACITY)).toBeLessThanOrEqual(TOLERANCE);
    expect(sumOf(results, admittedBy)).toBeGreaterThan(CAPACITY);
  });
});
