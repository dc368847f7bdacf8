import { describe, expect, it } from "vitest";
import { Capacity } from "../../../src/stores/local/capacity.ts";
import { type Owner, SlotTable } from "../../../src/stores/table/slot-table.ts";

const MOST_OWNERS = 65_536;

class SomeOwner implements Owner {
  size = 0;
  done = false;
  isLetGo = false;

  isSlotIdle(): boolean {
    return true;
  }

  isDone(): boolean {
    return this.done;
  }

  letGo(): void {
    this.isLetGo = true;
  }
}

/** So many new owners, and the numbers that they got. */
function adopt(table: SlotTable, count: number): { readonly owners: SomeOwner[]; readonly numbers: number[] } {
  const owners = Array.from({ length: count }, () => new SomeOwner());
  return { owners, numbers: owners.map((owner) => table.adopt(owner)) };
}

describe("the owners of a table's slots", () => {
  it("have numbers that differ, of 16 bits, and none where there are too many", () => {
    const table = new SlotTable(1, new Capacity("test", { maxKeys: 10 }));
    const { numbers } = adopt(table, MOST_OWNERS);
    expect(new Set(numbers).size).toBe(MOST_OWNERS);
    expect([Math.min(...numbers.slice(0, 99)), numbers.at(-1)]).toEqual([0, MOST_OWNERS - 1]);
    expect(adopt(table, 2).numbers).toEqual([-1, -1]);
  });

  it("are let go when they are done and many more come, and leave their numbers to those", () => {
    const table = new SlotTable(1, new Capacity("test", { maxKeys: 10 }));
    const { owners } = adopt(table, 64);
    for (const owner of owners.slice(0, 40)) owner.done = true;
    const { numbers } = adopt(table, 40);
    expect(owners.map(({ isLetGo }) => isLetGo)).toEqual(owners.map(({ done }) => done));
    expect([...numbers].sort((one, other) => one - other)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it("are let go even when there were too many at a time, those without a number too", () => {
    const table = new SlotTable(1, new Capacity("test", { maxKeys: 10 }));
    const crowd = adopt(table, MOST_OWNERS + 100);
    expect(crowd.numbers.at(-1)).toBe(-1);
    for (const owner of crowd.owners) owner.done = true;
    const { numbers } = adopt(table, 5_000);
    expect(crowd.owners.every(({ isLetGo }) => isLetGo)).toBe(true);
    expect(numbers.at(-1)).toBeGreaterThanOrEqual(0);
    expect(new Set(numbers.filter((number) => number >= 0)).size).toBe(numbers.filter((number) => number >= 0).length);
  });
});
