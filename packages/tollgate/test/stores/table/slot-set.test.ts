import { describe, expect, it } from "vitest";
import { SlotSet } from "../../../src/stores/table/slot-set.ts";
import { randomWords } from "../local/random-words.ts";

/** The slots of a set, by a walk. */
function slotsOf(set: SlotSet): number[] {
  const slots: number[] = [];
  for (let slot = set.next(0); slot >= 0; slot = set.next(slot + 1)) slots.push(slot);
  return slots;
}

describe("a set of slots", () => {
  it.each([1, 2, 31, 32, 33, 1_000, 1_024, 1_025, 40_000])(
    "is walked in order after additions and deletions: %d slots",
    (count) => {
      const set = new SlotSet(count);
      const expected = new Set<number>();
      const next = randomWords(count);
      expect(slotsOf(set)).toEqual([]);
      for (let round = 0; round < 60; round += 1) {
        for (let i = 0; i < 1 + count / 100; i += 1) {
          const slot = (next() >>> 0) % count;
          if (round % 20 < 10 && i % 2 === 0) {
            set.add(slot);
            expected.add(slot);
          } else {
            set.delete(slot);
            expected.delete(slot);
          }
        }
        expect(slotsOf(set)).toEqual([...expected].sort((one, other) => one - other));
      }
    },
  );

  it("finds the last slot, from any slot on", () => {
    const set = new SlotSet(100_000);
    set.add(99_999);
    for (const from of [0, 1, 31, 32, 1_023, 1_024, 99_967, 99_968, 99_999]) expect(set.next(from)).toBe(99_999);
    expect(set.next(100_000)).toBe(-1);
    set.delete(99_999);
    expect(set.next(0)).toBe(-1);
  });
});
