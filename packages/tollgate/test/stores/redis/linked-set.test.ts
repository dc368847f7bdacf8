import { describe, expect, it } from "vitest";
import { Linked, LinkedSet } from "../../../src/stores/redis/linked-set.ts";
import { Random } from "./script/kit/random.ts";

class Item extends Linked<Item> {
  readonly id: number;

  constructor(id = 0) {
    super();
    this.id = id;
  }
}

function idsOf(items: Iterable<Item>): number[] {
  return Array.from(items, ({ id }) => id);
}

describe("LinkedSet", () => {
  it("has the items of a Set, in the same order, under random changes", () => {
    const random = new Random(20_261_122);
    const items = Array.from({ length: 12 }, (_, id) => new Item(id));
    const set = new LinkedSet<Item>();
    const model = new Set<Item>();
    for (let step = 0; step < 5_000; step += 1) {
      const item = random.of(items);
      if (random.chance(0.5)) {
        set.add(item);
        model.add(item);
      } else expect(set.delete(item)).toBe(model.delete(item));
      expect(idsOf(set.toArray())).toEqual(idsOf(model));
      expect([set.first?.id, set.size]).toEqual([idsOf(model)[0], model.size]);
    }
  });

  it("an item that was removed refers to no other", () => {
    const set = new LinkedSet<Item>();
    const [first, second, third] = [new Item(), new Item(), new Item()];
    for (const item of [first, second, third]) set.add(item);
    for (const item of [second, first, third]) set.delete(item);
    for (const { before, after } of [first, second, third]) expect([before, after]).toEqual([undefined, undefined]);
  });
});
