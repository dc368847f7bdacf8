import { afterEach, expect, it, vi } from "vitest";
import { BlockValues } from "../../../../src/stores/shared/block-values.ts";
import { HEADER_WORDS } from "../../../../src/stores/shared/memory-layout.ts";
import { SharedMemory } from "../../../../src/stores/shared/shared-memory.ts";
import { SLOT_WORDS } from "../../../../src/stores/shared/shared-slots.ts";
import { SlotClaims } from "../../../../src/stores/shared/slot-claims.ts";
import type * as State from "../../../../src/stores/shared/slot-state.ts";
import { WriteSlots } from "../../../../src/stores/shared/write-slots.ts";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAll } from "./explore-all.ts";
import { CLEARED, LAST_SLOT, ONE_BLOCK, SAME_NEW_KEY } from "./planted-scenarios.ts";
import type { Scenario } from "./scenario.ts";

const planted = vi.hoisted(() => ({ generationsStay: false }));

vi.mock("../../../../src/stores/shared/slot-state.ts", async (importOriginal) => {
  const state = await importOriginal<typeof State>();
  const nextGeneration = (high: number) =>
    planted.generationsStay ? Math.max(1, high & state.GENERATION_MASK) : state.nextGeneration(high);
  return { ...state, nextGeneration };
});

afterEach(() => {
  planted.generationsStay = false;
});

// The deep tests explore LAST_SLOT without a defect: that takes long.
it.each([CLEARED, SAME_NEW_KEY, ONE_BLOCK])(
  "the exploration finds no defect where none is planted: $name",
  { timeout: TIMEOUT_MS },
  (scenario) => {
    expect(exploreAll(scenario).histories).toBeGreaterThan(0);
  },
);

it("the exploration finds an ABA defect: generations that never change", { timeout: TIMEOUT_MS }, () => {
  planted.generationsStay = true;
  expectFound(CLEARED);
});

it("the exploration finds a lost insert: one key in two slots", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(SlotClaims.prototype, "resolveDuplicates").mockReturnValue(true);
  expectFound(SAME_NEW_KEY);
});

it("the exploration finds a torn write into the published block", { timeout: TIMEOUT_MS }, () => {
  let currentSlot = 0;
  const { publish } = BlockValues.prototype;
  vi.spyOn(BlockValues.prototype, "publish").mockImplementation(function (this: BlockValues, slot, ...rest) {
    currentSlot = slot;
    return publish.call(this, slot, ...rest);
  });
  // The thread writes into the key slot's own block: the swap changes nothing.
  vi.spyOn(WriteSlots.prototype, "acquire").mockImplementation(() => (currentSlot - HEADER_WORDS) / SLOT_WORDS);
  expectFound(ONE_BLOCK);
});

it("the exploration finds a torn write into a block that was published before", { timeout: TIMEOUT_MS }, () => {
  const { acquire, release } = WriteSlots.prototype;
  let own = 0;
  vi.spyOn(WriteSlots.prototype, "acquire").mockImplementation(function (this: WriteSlots) {
    own = acquire.call(this);
    return own;
  });
  // The write slot keeps its block, which the key has now.
  vi.spyOn(WriteSlots.prototype, "release").mockImplementation(function (this: WriteSlots) {
    release.call(this, own);
  });
  expectFound(ONE_BLOCK);
});

it("the exploration finds a read that is not confirmed", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(BlockValues.prototype, "confirm").mockReturnValue(true);
  expectFound(ONE_BLOCK);
});

it("the exploration finds a fingerprint that is written without a comparison", { timeout: TIMEOUT_MS }, () => {
  const { swap } = SharedMemory.prototype;
  vi.spyOn(SharedMemory.prototype, "swap").mockImplementation(function (this: SharedMemory, word, low, high, ...pair) {
    const isFingerprint = word >= HEADER_WORDS && (word - HEADER_WORDS) % SLOT_WORDS === 0;
    return isFingerprint
      ? swap.call(this, word, this.words[word]!, this.words[word + 1]!, ...pair)
      : swap.call(this, word, low, high, ...pair);
  });
  expectFound(LAST_SLOT);
});

function expectFound(scenario: Scenario): void {
  expect(() => exploreAll(scenario)).toThrow(`${scenario.name}: expected a history that sequential calls could have`);
}
