import { expect, it } from "vitest";
import { transact } from "../../../../src/algorithms/transact.ts";
import { createTimeCell } from "../../../../src/core/time-cell.ts";
import { slidingWindow } from "../../../../src/index.ts";
import type { Report } from "../../../../src/store/index.ts";
import { originOf } from "../../../../src/stores/redis/script/encode-call.ts";
import { outcomeDifferences } from "./kit/compare-outcomes.ts";
import { Random } from "./kit/random.ts";
import { NOW_US, type TimedTransaction } from "./kit/script-call.ts";
import { useScriptServer } from "./kit/script-server.ts";
import { TwinWorld } from "./kit/twin-world.ts";

/** So many units per call that running totals soon exceed the exact integers. */
const MANY = 2 ** 44;
const started = useScriptServer();

/** Compares long rings that wrap, with large refunds, with the memory store. */
it.each([
  [300, 1, 0],
  [1_000, 1, 0],
  [3_000, 1, 0],
  [Number.MAX_SAFE_INTEGER, MANY, 0.5],
])(
  "long rings equal the memory store to the bit: limit %i, in units of %i, %d ms apart",
  async (limit, unit, resolution) => {
    // A window with about as many units as it can hold.
    const windowUs = Math.floor(limit / unit) * 2_000;
    const world = new TwinWorld(originOf(NOW_US));
    const plan = world.plan(`ring ${limit}`, [slidingWindow({ limit, window: windowUs / 1_000, resolution })]);
    const random = new Random(limit);
    let nowUs = NOW_US;

    async function both(
      verb: "take" | "charge" | "refund" | "explain",
      calls: number,
      stepUs: number,
      mostCost: number,
    ) {
      const transactions: TimedTransaction[] = [];
      const expected = Array.from({ length: calls }, () => {
        nowUs += random.between(0, stepUs);
        const costs = [random.between(1, mostCost) * unit];
        const times = verb !== "take" || random.chance(0.8) ? 1 : random.between(2, 4);
        transactions.push({
          verb,
          times,
          detail: "first-denied",
          nowUs,
          keys: [{ name: plan.cells, plan: plan.encoded, costs }],
        });
        const reports: Report[] = [];
        let admitted = 0;
        for (let i = 0; i < times; i += 1) {
          const report = transact(verb, [{ space: world.space(plan, "a"), key: "a", costs }], createTimeCell(nowUs));
          if (report.admitted) admitted += 1;
          else reports.push(report);
        }
        return verb === "refund" ? { admitted: times, reports: [] } : { admitted, reports: reports.slice(0, 1) };
      });
      const got = await started.server.run({ time: "transactions", transactions });
      expect(outcomeDifferences(got, expected)).toEqual([]);
    }

    for (let round = 0; round < 12; round += 1) {
      for (let i = 0; i < 4; i += 1) await both("take", 150, 4_000, 2);
      await both("refund", random.between(1, 4), 1_000, Math.ceil(limit / unit / random.of([1, 2, 4, 40])));
      await both("explain", 3, 0, Math.ceil(limit / unit));
      await both(random.of(["take", "charge"]), 60, random.of([2_000, windowUs / 100]), 3);
    }
  },
);
