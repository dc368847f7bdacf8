import { describe } from "vitest";
import { pass } from "../../chaos/kit/traffic-run.ts";
import { eventuallyTrue } from "../../servers/eventually.ts";
import type { Data } from "../../servers/redis-server.ts";
import {
  itCountsAll,
  itIsBack,
  itLosesAtMostACapacity,
  itSpendsWhatItHolds,
  itStandsThrough,
  spendAll,
  untilLeased,
} from "./kit/incident-tests.ts";
import type { NodeLane } from "./kit/node-lane.ts";
import { onAServer } from "./kit/on-a-server.ts";

const ON_DISK = ["--appendonly", "yes", "--appendfsync", "always"];

const now = (): number => performance.now();

function killAndRestart(data: Data) {
  return onAServer(data === "kept" ? ON_DISK : [], async ({ server }, nodes) => {
    await server.kill();
    const [fromMs, lostMs] = [now(), now()];
    const held = unitsOf(nodes);
    const spent = await spendAll(nodes);
    await pass(200);
    const untilMs = now();
    await server.restart(data);
    const leasedMs = await untilLeased(nodes);
    return { fromMs, untilMs, leasedMs, spent, lostMs, held };
  });
}

function unitsOf(nodes: readonly NodeLane[]): number {
  return nodes.reduce((sum, { held }) => sum + held, 0);
}

describe("nodes whose server is killed and restarted with its data", () => {
  const told = killAndRestart("kept");
  itStandsThrough(told);
  itSpendsWhatItHolds(told);
  itIsBack(told);
  itCountsAll(told);
});

describe("nodes whose server is killed and restarted without its data", () => {
  const told = killAndRestart("lost");
  itStandsThrough(told);
  itSpendsWhatItHolds(told);
  itIsBack(told);
  itLosesAtMostACapacity(told);
});

describe("nodes whose server is paused", () => {
  const told = onAServer([], async ({ server }, nodes) => {
    server.pause();
    const fromMs = now();
    const spent = await spendAll(nodes);
    await pass(1_000);
    const untilMs = now();
    server.resume();
    await eventuallyTrue("the server to answer", async () => (await server.command("PING")) === "PONG");
    const leasedMs = await untilLeased(nodes);
    return { fromMs, untilMs, leasedMs, spent };
  });
  itStandsThrough(told);
  itSpendsWhatItHolds(told);
  itIsBack(told);
  itCountsAll(told);
});
