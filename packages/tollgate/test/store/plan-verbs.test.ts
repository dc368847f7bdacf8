import { fixedWindow, type Limit, perMinute, perSecond, slidingWindow, tokenBucket } from "tollgate";
import { createPlan, createTimeCell, PlanVerbs, Report, VERBS, type Verb } from "tollgate/store";
import { describe, expect, it } from "vitest";
import { CompiledPlan } from "../../src/algorithms/compiled-plan.ts";

const YEAR_US = 365.25 * 86_400_000_000;
const START_US = 56 * YEAR_US;

const planOf = (limits: readonly Limit[]) => createPlan("test", "test", limits);

/** One key of a store that keeps what `changed` says. */
class OneKey {
  readonly verbs: PlanVerbs;
  readonly now = createTimeCell(START_US);
  readonly report = new Report();
  cells: Float64Array | undefined;

  constructor(limits: readonly Limit[], cells?: Float64Array) {
    this.verbs = new PlanVerbs(planOf(limits));
    this.cells = cells;
  }

  apply(verb: Verb, costs: readonly number[]): boolean {
    this.report.clear();
    const admitted = this.verbs.apply(verb, this.cells, costs, this.now, this.report, 0);
    this.cells = this.verbs.changed ?? this.cells;
    return admitted;
  }
}

describe("PlanVerbs", () => {
  it("leaves cells to keep only if a verb changed them", () => {
    const key = new OneKey([perMinute(2)]);
    for (const verb of ["peek", "explain", "refund"] as const) {
      key.apply(verb, [1]);
      expect([verb, key.verbs.changed]).toEqual([verb, undefined]);
    }
    expect(key.apply("take", [2])).toBe(true);
    const { cells } = key;
    expect(cells).toHaveLength(key.verbs.width);
    expect(key.apply("take", [1])).toBe(false);
    expect(key.verbs.changed).toBeUndefined();
    key.apply("refund", [1]);
    expect(key.verbs.changed).toBe(cells);
  });

  it("changes known cells in place, and none by a verb that changes nothing", () => {
    const key = new OneKey([slidingWindow({ limit: 3, window: "1m" }), perMinute(5)]);
    key.apply("take", [1, 1]);
    const before = key.cells?.slice();
    key.apply("peek", [1, 1]);
    key.apply("explain", [1, 1]);
    expect(key.cells).toEqual(before);
    key.apply("charge", [1, 1]);
    expect(key.cells).not.toEqual(before);
  });

  it("keeps the first, denied touch of a bucket that starts empty", () => {
    const key = new OneKey([tokenBucket({ capacity: 2, refill: 1, per: "1s", initial: "empty" })]);
    expect(key.apply("take", [1])).toBe(false);
    expect(key.cells).toBeDefined();
    key.now[0]! += 1_000_000;
    expect(key.apply("take", [1])).toBe(true);
  });

  it.each<[string, readonly Limit[]]>([
    ["one bucket", [perSecond(3)]],
    ["two limits", [perSecond(3), fixedWindow({ limit: 4, window: "1s" })]],
    ["a limit of tokens beside one of requests", [perSecond(3), perSecond(100, { unit: "tokens" })]],
    ["a shadow limit", [perSecond(3), perSecond(2, { mode: "shadow", name: "watch" })]],
    ["a bucket that starts empty", [tokenBucket({ capacity: 3, refill: 3, per: "1s", initial: "empty" })]],
  ])("allows plain costs as it takes them: %s", (_what, limits) => {
    const [plain, full] = [new OneKey(limits), new OneKey(limits)];
    for (const key of [plain, full]) key.apply("take", full.verbs.costsOf(1));
    const hour = 3_600_000_000;
    for (const [cost, pauseUs] of [
      [1, 0],
      [1, 300_000],
      [0, 300_000],
      [2, hour],
      [1, 300_000],
      [3, 0],
    ] as const) {
      const costs = full.verbs.costsOf(cost);
      expect(plain.cells && plain.verbs.allow(plain.cells, cost, plain.now)).toBe(full.apply("take", costs));
      expect(plain.cells).toEqual(full.cells);
      for (const key of [plain, full]) key.now[0]! += pauseUs;
    }
  });

  it("denies a new key without capacity, unless the call costs nothing", () => {
    const { verbs, now, report } = new OneKey([perMinute(5), perMinute(9, { mode: "shadow" })]);
    expect(verbs.deny([1, 1], now, report, 0)).toBe(false);
    expect(report).toMatchObject({ overflow: "denied", lacksCapacity: [true, true], conforms: [false, false] });
    expect(report.used).toEqual([0, 0]);
    expect(verbs.deny([0, 0], now, new Report(), 0)).toBe(true);
    expect(verbs.changed).toBeUndefined();
  });

  it("says when a key is idle, and so do the cells at that moment", () => {
    const key = new OneKey([perMinute(2), fixedWindow({ limit: 4, window: "10s", anchor: "first-use" })]);
    key.apply("take", [1, 1]);
    const cells = key.cells ?? new Float64Array();
    const idleAtUs = key.verbs.idleAtUs(cells, key.now);
    expect(idleAtUs).toBe(START_US + 30_000_000);
    expect(key.verbs.isIdle(cells, createTimeCell(idleAtUs - 1))).toBe(false);
    expect(key.verbs.isIdle(cells, createTimeCell(idleAtUs))).toBe(true);
  });
});

/** An exact scale of ticks and an inexact one. */
const RATES = [perSecond(10), tokenBucket({ capacity: 100, refill: 1_000_003, per: "1m" })];

describe("the origin in the cells of PlanVerbs", () => {
  it.each(RATES)("lets another process read them decades later: $name", (limit) => {
    const writer = new OneKey([limit]);
    writer.now[0] = 0;
    writer.apply("charge", [limit.capacity * 3]);
    const later = new OneKey([limit], writer.cells);
    for (const years of [0, 19, 21, 60]) {
      later.now[0] = years * YEAR_US;
      later.apply("explain", [1]);
      const compiled = new CompiledPlan(planOf([limit]), 0);
      const expected = new Report();
      if (years < 20)
        compiled.apply(VERBS.explain, Float64Array.from(writer.cells ?? []), 0, [1], later.now, expected, 0);
      else expected.used[0] = 0;
      expect([years, later.report.used[0]]).toEqual([years, expected.used[0]]);
    }
  });

  it.each(RATES)("keeps every figure when the clock jumps by decades and back: $name", (limit) => {
    const [jumping, steady] = [new OneKey([limit]), new OneKey([limit])];
    for (const key of [jumping, steady]) key.apply("take", [limit.capacity]);
    for (const years of [-30, 25, 140, -140]) {
      jumping.now[0] = START_US + years * YEAR_US;
      jumping.apply("charge", [0]);
      for (const key of [jumping, steady]) {
        key.now[0] = START_US + 7;
        key.apply("explain", [1]);
      }
      expect({ years, report: jumping.report }).toEqual({ years, report: steady.report });
    }
  });
});
