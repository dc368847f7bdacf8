import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventuallyTrue } from "../../servers/eventually.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import { startRedis } from "../../servers/start-redis.ts";
import { PlaceProcesses } from "./kit/place-processes.ts";

const NODES = 4;
const MAX = 100;
/** Longer than a test takes, so that no place expires that a call holds. */
const TTL_MS = 60_000;
const CALM_MS = 800;

async function start(callers: number): Promise<{ server: RedisServer; fleet: PlaceProcesses }> {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const options = { port: server.port, max: MAX, ttlMs: TTL_MS, callers, mostMs: 100 };
  return { server, fleet: await PlaceProcesses.start(NODES, options) };
}

async function untilBusy(fleet: PlaceProcesses, places: number): Promise<void> {
  await eventuallyTrue(`${places} places in use`, () => fleet.most >= places, { everyMs: 5 });
  await sleep(CALM_MS);
}

describe("four processes with 100 places", () => {
  it("never have more in use, and ask seldom", async () => {
    const { fleet } = await start(15);
    await untilBusy(fleet, MAX / 3);
    const done = await fleet.end();
    expect(fleet.excess).toBeUndefined();
    const sumOf = (name: "asks" | "admitted" | "spent") => done.reduce((sum, its) => sum + its[name], 0);
    expect(sumOf("spent")).toBeGreaterThan(sumOf("admitted") * 0.8);
    expect(sumOf("asks")).toBeLessThan(sumOf("admitted") / 2);
  });

  it("never have more in use while one of them is killed and more are wanted than there are", async () => {
    const { fleet } = await start(50);
    await untilBusy(fleet, MAX * 0.8);
    await fleet.killOne();
    await sleep(CALM_MS);
    const done = await fleet.end();
    expect(done).toHaveLength(NODES - 1);
    expect(fleet.excess).toBeUndefined();
  });

  it("never have more in use while the server is frozen, and go on afterwards", async () => {
    const { server, fleet } = await start(50);
    await untilBusy(fleet, MAX * 0.8);
    server.pause();
    await sleep(CALM_MS);
    server.resume();
    await untilBusy(fleet, MAX * 0.8);
    await eventuallyTrue("places in use", () => fleet.inUse > MAX / 2, { everyMs: 5 });
    await fleet.end();
    expect(fleet.excess).toBeUndefined();
  });

  it("have at most as many again in use when the server has lost its data", async () => {
    const { server, fleet } = await start(50);
    await untilBusy(fleet, MAX * 0.8);
    await server.kill();
    fleet.lose();
    await server.restart("lost");
    await eventuallyTrue("places in use", () => fleet.inUse > MAX / 2, { everyMs: 5 });
    await sleep(CALM_MS);
    await fleet.end();
    expect(fleet.excess).toBeUndefined();
  });
});
