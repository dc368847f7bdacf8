import { describe, expect, it } from "vitest";
import { SharedBits } from "../../../src/stores/shared/shared-bits.ts";
import { SharedMemory, viewsOf } from "../../../src/stores/shared/shared-memory.ts";
import { randomBelow } from "../local/random-words.ts";

const AT = 16;

describe("bits that threads share", () => {
  it.each([1, 31, 32, 33, 100, 1_000])("are found in order once they are set: %d bits", (count) => {
    const memory = new SharedMemory(viewsOf(new SharedArrayBuffer(1_024)), Atomics, undefined);
    const bits = new SharedBits(memory, AT);
    const expected = new Set<number>();
    const below = randomBelow(count);
    for (let round = 0; round < 50; round += 1) {
      const found: number[] = [];
      for (let bit = bits.next(0, count); bit < count; bit = bits.next(bit + 1, count)) found.push(bit);
      expect(found).toEqual([...expected].sort((one, other) => one - other));
      const added = below(count);
      expect(bits.has(added)).toBe(expected.has(added));
      bits.set(added);
      expected.add(added);
      expect(bits.next(0, 0)).toBe(0);
      expect(bits.next(added, added + 1)).toBe(added);
    }
    // Nothing beside them is written.
    expect(
      [...memory.words.subarray(0, AT), ...memory.words.subarray(AT + SharedBits.words(count))].some(Boolean),
    ).toBe(false);
  });
});
