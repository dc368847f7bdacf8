import { setImmediate as endOfTurn } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { perDay } from "tollgate";
import { expect, it, onTestFinished } from "vitest";
import { createPlan } from "../../../../src/core/plan.ts";
import { CallQueue } from "../../../../src/stores/redis/batch/call-queue.ts";
import type { KeyCall } from "../../../../src/stores/redis/batch/key-call.ts";
import type { Waiter } from "../../../../src/stores/redis/batch/waiter.ts";
import type { RedisPort, ScriptCall, ScriptReply } from "../../../../src/stores/redis/clients/redis-port.ts";
import { Listeners } from "../../../../src/stores/redis/listeners.ts";
import { encodePlan } from "../../../../src/stores/redis/script/encode-plan.ts";
import { epochOf } from "../../../../src/stores/redis/script/epoch.ts";
import { ServerLink } from "../../../../src/stores/redis/server-link.ts";

const KILOBYTE = 2 ** 10;
const ROUNDS = 400;
const CALLS = 64;

/** The bytes of old objects that each item of a round leaves behind, when the queue has become old. */
async function bytesLeftPerItem(doRound: (round: number) => Promise<void>): Promise<number> {
  for (let round = 0; round < 4; round += 1) await doRound(round);
  globalThis.gc?.();
  globalThis.gc?.();
  const before = oldBytes();
  for (let round = 0; round < ROUNDS; round += 1) await doRound(round);
  return (oldBytes() - before) / (ROUNDS * CALLS);
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!.space_used_size;
}

/** Keeps a kilobyte. */
class HeavyWaiter implements Waiter {
  readonly wantsReport = false;
  readonly weight = Array.from({ length: KILOBYTE / 8 }, (_, i) => i);
  readonly decided = (): void => {};
  readonly failed = (): void => {};
}

it("a queue keeps nothing of an answered call beyond the next collection of young objects", async () => {
  const answers: (() => void)[] = [];
  const run = ({ keys }: ScriptCall): Promise<ScriptReply> =>
    new Promise((resolve) => answers.push(() => resolve([1, ...keys.map(() => 1)])));
  const port = { connected: true, run, onLost: () => () => {} } as unknown as RedisPort;
  const link = new ServerLink(port, { prefix: "tg", timeoutMs: 3_600_000, connectTimeoutMs: 0 }, () => {});
  const memory = { changes: 0, forget: () => {}, note: () => {} };
  const bounds = { mostKeys: 100, maxPending: 10_000, bySlot: false, byLimitersClock: false };
  const queue = new CallQueue({ ...bounds, memory, link, watches: new Listeners() });
  const plan = encodePlan(createPlan("api", "api", [perDay(1)]), epochOf(1_800_000_000_000_000));
  const space = {} as KeyCall["space"];
  const ask = (name: string): void => {
    const call: KeyCall = { space, key: name, name, countsName: name, plan, costs: [1] };
    queue.ask("take", [call], 0, new HeavyWaiter());
  };
  // One call is never answered, so that the queue is never empty.
  ask("pending");
  queue.flush();
  for (const answer of answers.splice(0)) onTestFinished(answer);
  const bytes = await bytesLeftPerItem(async (round) => {
    for (let i = 0; i < CALLS; i += 1) ask(`${round}-${i}`);
    queue.flush();
    for (const answer of answers.splice(0)) answer();
    await endOfTurn();
    globalThis.gc?.({ type: "minor" });
  });
  // What is left is the line of each key, which is empty.
  expect(bytes).toBeLessThan(KILOBYTE / 2);
});
