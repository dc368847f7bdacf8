import { getHeapSpaceStatistics } from "node:v8";
import { perDay } from "tollgate";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../../src/core/plan.ts";
import { Batcher } from "../../../../src/stores/redis/batch/batcher.ts";
import type { KeyCall } from "../../../../src/stores/redis/batch/key-call.ts";
import type { Batch } from "../../../../src/stores/redis/batch/script-batch.ts";
import type { Waiter } from "../../../../src/stores/redis/batch/waiter.ts";
import { CancelFlag, RUN } from "../../../../src/stores/redis/clients/cancel-flag.ts";
import { Awaited, ReplyWatch } from "../../../../src/stores/redis/failure/reply-watch.ts";
import { encodePlan } from "../../../../src/stores/redis/script/encode-plan.ts";
import { epochOf } from "../../../../src/stores/redis/script/epoch.ts";

const KILOBYTE = 2 ** 10;
const ROUNDS = 400;
const CALLS = 64;

/** The bytes of old objects that each item leaves behind when what `prepare` returned has become old. */
function bytesLeftPerItem(prepare: () => (round: number) => void): number {
  const doRound = prepare();
  for (let round = 0; round < 4; round += 1) doRound(round);
  globalThis.gc?.();
  globalThis.gc?.();
  const before = oldBytes();
  for (let round = 0; round < ROUNDS; round += 1) doRound(round);
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

class HeavyReply extends Awaited {
  readonly lane = 0;
  quietSinceMs = 0;
  readonly cancelFlag = new CancelFlag(RUN);
  readonly weight = Array.from({ length: KILOBYTE / 8 }, (_, i) => i);
  readonly giveUp = (): void => {};
}

describe("what was answered ends with the next collection of young objects", () => {
  it("in a batcher", () => {
    const bytes = bytesLeftPerItem(() => {
      const sent: Batch[] = [];
      const memory = { changes: 0, admitted: () => {}, denied: () => {} };
      const batcher: Batcher = new Batcher({
        mostKeys: 100,
        bySlot: false,
        byLimitersClock: false,
        maxPending: 10_000,
        mayStart: () => true,
        nowMs: () => 0,
        memory,
        send: (batch) => sent.push(batch),
        deliver: () => {},
      });
      const plan = encodePlan(createPlan("api", "api", [perDay(1)]), epochOf(1_800_000_000_000_000));
      const space = {} as KeyCall["space"];
      const call = (name: string): KeyCall => ({
        space,
        key: name,
        name,
        countsName: name,
        plan,
        costs: [1],
      });
      // One call is never answered, so that the batcher is never empty.
      batcher.ask("take", [call("pending")], 0, new HeavyWaiter());
      batcher.flush();
      sent.length = 0;
      return (round) => {
        for (let i = 0; i < CALLS; i += 1) batcher.ask("take", [call(`${round}-${i}`)], 0, new HeavyWaiter());
        batcher.flush();
        for (const batch of sent.splice(0)) {
          for (const work of batch.works)
            batcher.done(work, { admitted: 1, reports: [], decidedUs: undefined } as never);
          batcher.returned(batch);
        }
      };
    });
    // What is left is the line of each key, which is empty.
    expect(bytes).toBeLessThan(KILOBYTE / 2);
  });

  it("in the watch over replies", () => {
    const bytes = bytesLeftPerItem(() => {
      const watch = new ReplyWatch({ timeoutMs: 1_000, connectTimeoutMs: 0, onStep: () => false });
      return () => {
        const replies = Array.from({ length: CALLS }, () => new HeavyReply());
        for (const reply of replies) watch.expect(reply);
        for (const reply of replies) watch.ended(reply);
      };
    });
    expect(bytes).toBeLessThan(KILOBYTE / 4);
  });
});
