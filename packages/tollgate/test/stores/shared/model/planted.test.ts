import { afterEach, expect, it, vi } from "vitest";
import { BlockValues } from "../../../../src/stores/shared/block-values.ts";
import { HEADER_WORDS } from "../../../../src/stores/shared/memory-layout.ts";
import { SharedMemory } from "../../../../src/stores/shared/shared-memory.ts";
import { SLOT_WORDS } from "../../../../src/stores/shared/shared-slots.ts";
import { SlotClaims } from "../../../../src/stores/shared/slot-claims.ts";
import type * as State from "../../../../src/stores/shared/slot-state.ts";
import { WriteSlots } from "../../../../src/stores/shared/write-slots.ts";
import { exploreAll } from "./explore-all.ts";
import { COMMON, callsAt, type Scenario } from "./scenario.ts";
import { crowded, ONE_CELL, rivals, SEVERAL_CELLS } from "./scenarios.ts";

const planted = vi.hoisted(() => ({ generationsStay: false }));

vi.mock("../../../../src/stores/shared/slot-state.ts", async (importOriginal) => {
  const state = await importOriginal<typeof State>();
  const nextGeneration = (high: number) =>
    planted.generationsStay ? Math.max(1, high & state.GENERATION_MASK) : state.nextGeneration(high);
  return { ...state, nextGeneration };
});

afterEach(() => {
  planted.generationsStay = false;
  vi.restoreAllMocks();
});

const TIMEOUT_MS = 300_000;
const now = 1000;
const [ann, bob] = rivals(ONE_CELL);

const CLEARED: Scenario = {
  ...COMMON,
  name: "a key that goes, and another in its slot",
  limits: ONE_CELL,
  deaths: "none",
  before: callsAt(now, ["allow", ann]),
  keys: [ann, bob],
  programs: [callsAt(now, ["allow", ann]), callsAt(now, ["clear", ""], ["allow", bob])],
};

const NEW: Scenario = {
  ...COMMON,
  name: "the same new key",
  limits: ONE_CELL,
  deaths: "none",
  keys: [ann],
  programs: [callsAt(now, ["allow", ann]), callsAt(now, ["allow", ann])],
};

const SEVERAL: Scenario = {
  ...COMMON,
  name: "several cells",
  limits: SEVERAL_CELLS,
  before: callsAt(now, ["charge", "ann"]),
  keys: ["ann"],
  programs: [callsAt(now, ["peek", "ann"]), callsAt(now, ["charge", "ann"], ["charge", "ann"])],
};

const room = crowded(ONE_CELL, "for one key");
const LAST_ROOM: Scenario = {
  ...COMMON,
  ...room,
  name: "the last room",
  limits: ONE_CELL,
  overflow: "deny",
  deaths: "none",
  mostSteps: 30,
  placeOf: undefined,
  programs: [callsAt(now, ["allow", room.keys[0]!]), callsAt(now, ["allow", room.keys[1]!], ["allow", room.keys[1]!])],
};

const UNTOUCHED = [CLEARED, NEW, SEVERAL, LAST_ROOM];

it.each(UNTOUCHED)("finds nothing where nothing is planted: $name", { timeout: TIMEOUT_MS }, (scenario) => {
  expect(exploreAll(scenario).histories).toBeGreaterThan(0);
});

it("finds a planted ABA: generations that never change", { timeout: TIMEOUT_MS }, () => {
  planted.generationsStay = true;
  expectFound(CLEARED);
});

it("finds a planted lost insert: one key in two slots", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(SlotClaims.prototype, "resolveDuplicates").mockReturnValue(true);
  expectFound(NEW);
});

it("finds a planted torn write: into the block that is published", { timeout: TIMEOUT_MS }, () => {
  let slotAtHand = 0;
  const { publish } = BlockValues.prototype;
  vi.spyOn(BlockValues.prototype, "publish").mockImplementation(function (this: BlockValues, slot, ...rest) {
    slotAtHand = slot;
    return publish.call(this, slot, ...rest);
  });
  // It is the slot's own, and stays so, as it is swapped for itself.
  vi.spyOn(WriteSlots.prototype, "blockOf").mockImplementation(() => (slotAtHand - HEADER_WORDS) / SLOT_WORDS);
  expectFound(SEVERAL);
});

it("finds a planted torn write: into a block that was published", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(WriteSlots.prototype, "setBlock").mockImplementation(() => {});
  expectFound(SEVERAL);
});

it("finds a planted read that nothing confirms", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(BlockValues.prototype, "confirm").mockReturnValue(true);
  expectFound(SEVERAL);
});

it("finds a planted fingerprint that is written whatever is there", { timeout: TIMEOUT_MS }, () => {
  const { swap } = SharedMemory.prototype;
  vi.spyOn(SharedMemory.prototype, "swap").mockImplementation(function (this: SharedMemory, word, low, high, ...pair) {
    const isFingerprint = word >= HEADER_WORDS && (word - HEADER_WORDS) % SLOT_WORDS === 0;
    return isFingerprint
      ? swap.call(this, word, this.words[word]!, this.words[word + 1]!, ...pair)
      : swap.call(this, word, low, high, ...pair);
  });
  expectFound(LAST_ROOM);
});

function expectFound(scenario: Scenario): void {
  expect(() => exploreAll(scenario)).toThrow(
    `${scenario.name}: expected a history that calls one after another could have`,
  );
}
