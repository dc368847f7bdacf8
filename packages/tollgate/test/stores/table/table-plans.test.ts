import { describe, expect, it } from "vitest";
import { Capacity } from "../../../src/stores/local/capacity.ts";
import { SlotTable, type TablePlan } from "../../../src/stores/table/slot-table.ts";

const MOST_PLANS = 65_536;

class TestPlan implements TablePlan {
  size = 0;
  removable = false;
  isRemoved = false;

  isSlotIdle(): boolean {
    return true;
  }

  onDrop(): void {
    this.size -= 1;
  }

  isRemovable(): boolean {
    return this.removable;
  }

  onRemoved(): void {
    this.isRemoved = true;
  }
}

/** Adds new plans, and returns them with the numbers that they got. */
function add(table: SlotTable, count: number): { readonly plans: TestPlan[]; readonly numbers: number[] } {
  const plans = Array.from({ length: count }, () => new TestPlan());
  return { plans, numbers: plans.map((plan) => table.add(plan)) };
}

describe("a slot table", () => {
  it("gives each plan a 16-bit number of its own, and none to a plan too many", () => {
    const table = new SlotTable(1, new Capacity("test", { maxKeys: 10 }));
    const { numbers } = add(table, MOST_PLANS);
    expect(new Set(numbers).size).toBe(MOST_PLANS);
    expect([Math.min(...numbers.slice(0, 99)), numbers.at(-1)]).toEqual([0, MOST_PLANS - 1]);
    expect(add(table, 2).numbers).toEqual([-1, -1]);
  });

  it("removes plans that are removable when many more come, and gives these the free numbers", () => {
    const table = new SlotTable(1, new Capacity("test", { maxKeys: 10 }));
    const { plans } = add(table, 64);
    for (const plan of plans.slice(0, 40)) plan.removable = true;
    const { numbers } = add(table, 40);
    expect(plans.map(({ isRemoved }) => isRemoved)).toEqual(plans.map(({ removable }) => removable));
    expect([...numbers].sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it("removes removable plans even after there were too many at a time, with and without numbers", () => {
    const table = new SlotTable(1, new Capacity("test", { maxKeys: 10 }));
    const crowd = add(table, MOST_PLANS + 100);
    expect(crowd.numbers.at(-1)).toBe(-1);
    for (const plan of crowd.plans) plan.removable = true;
    const { numbers } = add(table, 5_000);
    expect(crowd.plans.every(({ isRemoved }) => isRemoved)).toBe(true);
    expect(numbers.at(-1)).toBeGreaterThanOrEqual(0);
    expect(new Set(numbers.filter((number) => number >= 0)).size).toBe(numbers.filter((number) => number >= 0).length);
  });
});
