import { fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { compileLimit } from "../../src/algorithms/compile-limit.ts";
import { Report } from "../../src/core/report.ts";
import { createTimeCell } from "../../src/core/time-cell.ts";
import { randomBelow } from "../stores/local/random-words.ts";

const START_US = 1_790_000_000_123_456;
const STEPS = 4_000;

const LIMITS: readonly (readonly [name: string, limit: Limit, mostCost: number])[] = [
  ["a token bucket", tokenBucket({ capacity: 7, refill: 11, per: "3s" }), 9],
  ["a token bucket of inexact ticks", tokenBucket({ capacity: 2 ** 40, refill: 999_999_937, per: "7d" }), 2 ** 39],
  ["a token bucket that starts empty", tokenBucket({ capacity: 4, refill: 2, per: "1s", initial: "empty" }), 4],
  ["a fixed window", fixedWindow({ limit: 5, window: "2s" }), 6],
  ["an exact sliding window", slidingWindow({ limit: 6, window: "2s", resolution: 0 }), 7],
  ["a sliding window of groups", slidingWindow({ limit: 40, window: "2s", resolution: "500ms" }), 12],
  [
    "a sliding window whose totals restart",
    slidingWindow({ limit: 2 ** 52, window: "2s", resolution: "500ms" }),
    2 ** 50,
  ],
];

describe("the figures as they would be after a take", () => {
  it.each(LIMITS)("under %s are those of a take, and the cells stay as they are", (_name, limit, mostCost) => {
    const kernel = compileLimit(limit, START_US);
    const below = randomBelow(1);
    const now = createTimeCell(START_US);
    // Other keys' cells on both sides.
    const cells = new Float64Array(kernel.size + 2).fill(42);
    kernel.init(cells, 1, now);
    for (let step = 0; step < STEPS; step += 1) {
      now[0] = Math.max(START_US, now[0]! + below(900_000) - (below(10) === 0 ? 3_000_000 : 0));
      const cost = below(mostCost + 1);
      const taken = cells.slice();
      const expected = new Report();
      kernel.take(taken, 1, now, cost);
      kernel.tell(taken, 1, now, cost, expected, 0);

      const before = cells.slice();
      const told = new Report();
      kernel.tellAfterTake(cells, 1, now, cost, told, 0);
      expect(told).toEqual(expected);
      expect(cells).toEqual(before);

      const tried = cells.slice();
      const conforms = kernel.conforms(cells, 1, now, cost);
      kernel.tell(cells, 1, now, cost, told, 0);
      expect(kernel.tryTakeAndTell(tried, 1, now, cost, expected, 0)).toBe(conforms);
      expect(tried).toEqual(conforms ? taken : before);
      if (!conforms) expect(expected).toEqual(told);

      if (below(3) === 0) kernel.refund(cells, 1, now, below(mostCost + 1));
      else if (kernel.conforms(cells, 1, now, cost) || below(4) === 0) kernel.take(cells, 1, now, cost);
    }
  });
});
