import { createLimiter, perMinute, perSecond } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { createPlan } from "../../../src/core/plan.ts";
import { createTimeCell } from "../../../src/core/time-cell.ts";
import { Capacity } from "../../../src/stores/local/capacity.ts";
import { KeyHash } from "../../../src/stores/local/key-hash.ts";
import { PlanSlots } from "../../../src/stores/table/plan-slots.ts";
import { SlotTable } from "../../../src/stores/table/slot-table.ts";

const START_MS = 1_790_000_000_123;
const MOST_PLANS = 65_536;
/** A cell of a key in use. */
const IN_USE = 2 ** 50;

function setUp(maxKeys: number) {
  const clock = manualClock(START_MS);
  const store = tableStore({ maxKeys, overflow: "deny" });
  const make = (name: string) => createLimiter({ name, limits: [perMinute(1)], clock, store });
  return { clock, store, make };
}

function planOfItsOwn(maxKeys: number) {
  const table = new SlotTable(1, new Capacity("test", { maxKeys }));
  const now = createTimeCell(START_MS * 1_000);
  const hash = new KeyHash(table.capacity.secrets.next());
  const plan = new PlanSlots(createPlan("api", "api", [perMinute(1)]), now, table, hash, () => {});
  plan.addToTable();
  return { plan, table, now };
}

function insert(plan: PlanSlots, key: string, now: Float64Array): void {
  expect(plan.locate(key)).toBe(-1);
  plan.insert(plan.findSlot(key, now), key, Float64Array.of(IN_USE));
}

/** The least processor time of several runs, in milliseconds. */
function leastCpuMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i += 1) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

function keys(count: number, prefix = "key"): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

describe("a table that is cleared", () => {
  it("forgets the limiter's keys at once, whether by name, by handle or in a batch, and no other limiter's", () => {
    const { store, make } = setUp(1_000);
    const [limiter, twin, other] = [make("api"), make("api"), make("other")];
    const handle = limiter.handle("key-7");
    const many = keys(300);
    for (let round = 0; round < 4; round += 1) {
      expect(handle.allow()).toBe(true);
      // The front cache has some keys from the second round on.
      expect(many.filter((key) => limiter.allow(key))).toHaveLength(299);
      expect(many.filter((key) => twin.allow(key))).toEqual([]);
      expect(many.filter((key) => other.allow(key))).toHaveLength(round === 0 ? 300 : 0);
      expect([limiter.size, twin.size, other.size, store.size]).toEqual([300, 300, 300, 600]);
      (round % 2 === 0 ? limiter : twin).clear();
      expect([limiter.size, twin.size, other.size, store.size]).toEqual([0, 0, 300, 300]);
      expect(twin.allowMany(many, new Uint8Array(300))).toBe(300);
      limiter.clear();
    }
  });

  it("gives all slots of the cleared keys to new ones", () => {
    const { store, make } = setUp(1);
    const [limiter, other] = [make("api"), make("other")];
    for (let round = 0; round < 200; round += 1) {
      for (const key of keys(8, `${round}`)) expect((round % 3 === 0 ? other : limiter).allow(key)).toBe(true);
      expect([limiter.allow("one more"), store.size]).toEqual([false, 8]);
      limiter.clear();
      other.clear();
    }
  });

  it("clears tens of thousands of times, while other limiters call", () => {
    const { store, make } = setUp(100);
    const [limiter, other] = [make("api"), make("other")];
    for (let round = 0; round < 70_000; round += 1) {
      if (!(limiter.allow("ann") && limiter.size === 1)) throw new Error(`round ${round}: ann had a count`);
      limiter.clear();
      if (other.allow("bob") !== (round === 0)) throw new Error(`round ${round}: bob had no count`);
    }
    expect([limiter.size, other.size, store.size]).toEqual([0, 1, 1]);
  });

  it("frees the slots of the cleared keys in steps", () => {
    const { plan, table, now } = planOfItsOwn(1_000);
    for (const key of keys(1_000)) insert(plan, key, now);
    plan.clear();
    insert(plan, "ann", now);
    const takenSlots = () => {
      let taken = 0;
      for (let index = table.slots.nextTaken(0); index >= 0; index = table.slots.nextTaken(index + 1)) taken += 1;
      return taken;
    };
    expect(takenSlots()).toBeGreaterThan(990);
    for (let step = 0; step < 1_000 / 64 + 2; step += 1) {
      const before = takenSlots();
      table.sweepStep();
      expect(before - takenSlots()).toBeLessThanOrEqual(64);
    }
    expect([takenSlots(), plan.size, plan.locate("ann") >= 0]).toEqual([1, 1, true]);
  });

  it("drops each key if there is no number left for its plan", () => {
    const { plan, table, now } = planOfItsOwn(100);
    const { capacity } = table;
    for (const key of keys(50)) insert(plan, key, now);
    for (let i = 1; i < MOST_PLANS; i += 1) {
      table.add({ size: 0, isSlotIdle: () => false, onDrop: () => {}, isRemovable: () => false, onRemoved: () => {} });
    }
    expect([plan.size, capacity.size]).toEqual([50, 50]);
    plan.clear();
    expect([plan.size, capacity.size, ...keys(50).filter((key) => plan.locate(key) >= 0)]).toEqual([0, 0]);
    expect(plan.findSlot("ann", now)).toBeGreaterThan(0);
  });

  it("takes no time for its empty slots, nor does a sweep", () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ limits: [perSecond(1)], clock, store: tableStore({ maxKeys: 10_000_000 }) });
    const cpuMs = leastCpuMs(() => {
      for (const key of keys(100)) limiter.allow(key);
      expect(limiter.sweep()).toBe(0);
      limiter.clear();
    });
    // Looking at 22 million slots takes 150 ms or more.
    expect(cpuMs).toBeLessThan(30);
  });
});
