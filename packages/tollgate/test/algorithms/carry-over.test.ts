import { type Duration, fixedWindow, type Limit, slidingWindow, tokenBucket } from "tollgate";
import { describe, expect, it } from "vitest";
import { carryOver } from "../../src/algorithms/carry-over.ts";
import { compileLimit } from "../../src/algorithms/compile-limit.ts";
import { type Kernel, writeNew } from "../../src/algorithms/kernel.ts";
import { Report } from "../../src/core/report.ts";
import { createTimeCell } from "../../src/core/time-cell.ts";

const START_US = 1_790_000_000_123_457;

/** One key, whose limit may change. */
class Key {
  kernel: Kernel;
  cells: Float64Array;
  readonly now = createTimeCell(START_US);

  constructor(limit: Limit) {
    this.kernel = compileLimit(limit, START_US);
    this.cells = new Float64Array(this.kernel.size);
    writeNew(this.kernel, this.cells, 0, this.now);
  }

  change(limit: Limit, originUs = START_US): this {
    const kernel = compileLimit(limit, originUs);
    const cells = new Float64Array(kernel.size).fill(Number.NaN);
    carryOver(kernel, cells, 0, this.now, this.kernel, this.cells, 0);
    this.kernel = kernel;
    this.cells = cells;
    return this;
  }

  take(cost = 1): boolean {
    return this.kernel.tryTake(this.cells, 0, this.now, cost);
  }

  charge(cost: number): this {
    this.kernel.take(this.cells, 0, this.now, cost);
    return this;
  }

  wait(ms: number): this {
    this.now[0]! += 1_000 * ms;
    return this;
  }

  get used(): number {
    const report = new Report();
    this.kernel.tell(this.cells, 0, this.now, 0, report, 0);
    return report.used[0]!;
  }
}

const bucket = (capacity: number, refill = 1) => tokenBucket({ name: "limit", capacity, refill, per: "1s" });
const fixed = (limit: number, window: Duration) => fixedWindow({ name: "limit", limit, window });
const sliding = (limit: number, window: Duration, resolution: Duration = "1s") =>
  slidingWindow({ name: "limit", limit, window, resolution });

const LIMITS: readonly Limit[] = [
  bucket(10),
  tokenBucket({ name: "limit", capacity: 7, refill: 3, per: "11s" }),
  tokenBucket({ name: "limit", capacity: 2 ** 40, refill: 999_999_937, per: "7d" }),
  fixed(10, "10s"),
  sliding(25, "10s"),
];

describe("a key whose limit changes", () => {
  it("a larger bucket gives the difference at once, a smaller one denies until enough has come back", () => {
    const key = new Key(bucket(10)).charge(10).change(bucket(15));
    expect([key.take(5), key.take()]).toEqual([true, false]);
    key.change(bucket(12));
    expect([key.wait(3_000).take(), key.wait(1_000).take()]).toEqual([false, true]);
  });

  it("the same groups count until the same moment if only the capacity changes", () => {
    const key = new Key(sliding(10, "10s")).charge(3).wait(4_000).charge(4).change(sliding(25, "10s"));
    expect([key.used, key.wait(5_999).used, key.wait(1).used, key.wait(4_000).used]).toEqual([7, 7, 4, 0]);
  });

  it("groups that have left stay behind", () => {
    const key = new Key(sliding(10, "10s")).charge(3).wait(4_000).charge(4).wait(6_000).change(sliding(25, "10s"));
    expect([key.used, key.take(21), key.used, key.wait(4_000).used]).toEqual([4, true, 25, 21]);
  });

  it.each([
    ["another resolution no sooner than they would have, and later by at most the coarser one", 1_000, "2s", 2_000],
    ["a smaller limit no sooner than they would have, and no later than the newest", 5, 0, 10_000],
  ] as const)("units of a sliding window leave under %s", (_change, limit, resolution, mostLateMs) => {
    const key = new Key(sliding(1_000, "10s", 0));
    const cameMs: number[] = [];
    for (let ms = 0; ms <= 6_800; ms += 170) {
      cameMs.push(ms);
      key.charge(1).wait(170);
    }
    const usedAt = (ms: number) => cameMs.filter((came) => came + 10_000 > ms).length;
    key.change(sliding(limit, "10s", resolution));
    for (let ms = 6_970; ms < 6_800 + 10_000; ms += 10) {
      expect(key.used, `after ${ms} ms`).toBeGreaterThanOrEqual(usedAt(ms));
      expect(key.used, `after ${ms} ms`).toBeLessThanOrEqual(usedAt(ms - mostLateMs));
      key.wait(10);
    }
    expect(key.used).toBe(0);
  });

  it("a fixed window that is open ends when it would have, whatever the new limit and anchor are", () => {
    const anchored = (limit: number) => fixedWindow({ name: "limit", limit, window: "10s", anchor: "first-use" });
    for (const changed of [anchored(25), fixed(25, "10s")]) {
      const key = new Key(anchored(10)).charge(3).wait(4_000).change(changed).charge(1);
      expect([key.used, key.wait(5_999).used, key.wait(1).used]).toEqual([4, 4, 0]);
    }
  });

  it("under an equal limit with another origin, every decision stays", () => {
    for (const limit of LIMITS) {
      const [moved, stayed] = [new Key(limit), new Key(limit)];
      for (let i = 0; i < 40; i += 1) {
        moved.change(limit, START_US + (i % 2) * 86_400_000_000);
        expect(moved.wait(777).take(1 + (i % 3))).toBe(stayed.wait(777).take(1 + (i % 3)));
      }
    }
  });
});
