import { describe, expect, it, vi } from "vitest";
import { RelatedKeys } from "../../../../src/stores/shared/related-keys.ts";
import { CLAIM, FROZEN, SlotSearch } from "../../../../src/stores/shared/slot-search.ts";
import {
  ALL_RANDOM_RUNS,
  checkEveryInterleaving,
  checkRandomInterleavings,
  TIMEOUT_MS,
} from "./check-interleavings.ts";
import { exploreAll } from "./explore-all.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { CHANGES, FORGOTTEN_ELSEWHERE, ONE_CHANGE, TO_ONE_PLAN, TWO_ROWS } from "./scenarios-changes.ts";

const RUNS = 5_000;
const PLANTED_RUNS = 3_000;
const { find } = SlotSearch.prototype;

checkEveryInterleaving([...ONE_CHANGE, TWO_ROWS]);
// A move takes many more steps than another call.
checkRandomInterleavings(CHANGES, ALL_RANDOM_RUNS / 10);

it.each([TO_ONE_PLAN, FORGOTTEN_ELSEWHERE])(
  "random interleavings of two threads: $name",
  { timeout: TIMEOUT_MS },
  (scenario) => {
    expect(exploreAtRandom(scenario, RUNS, 1).runs).toBe(RUNS);
  },
);

describe("the exploration of changes finds", () => {
  it("a key that moves without being frozen", { timeout: TIMEOUT_MS }, () => {
    // Another thread's call may then count in the row that is left.
    vi.spyOn(RelatedKeys.prototype, "freeze").mockImplementation(() => true);
    vi.spyOn(SlotSearch.prototype, "find").mockImplementation(function (this: SlotSearch, ...hash) {
      return find.apply(this, hash).map((one) => (one.kind > CLAIM ? { ...one, kind: FROZEN } : one));
    });
    expectFound();
  });

  it("claims of other plans that stay", { timeout: TIMEOUT_MS }, () => {
    hide((kind) => kind === CLAIM);
    expectFound();
  });

  it("frozen rows that are lost", { timeout: TIMEOUT_MS }, () => {
    hide((kind) => kind === FROZEN);
    expectFound();
  });

  it("a frozen row that counts again after its key moved on", { timeout: TIMEOUT_MS }, () => {
    vi.spyOn(RelatedKeys.prototype, "writeOff").mockReturnValue(true);
    expectFound();
  });
});

it("the exploration of changes finds copies that are not confirmed", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(RelatedKeys.prototype, "confirm").mockReturnValue(true);
  expect(() => exploreAll(TWO_ROWS)).toThrow("expected a history that sequential calls could have");
});

function hide(isHidden: (kind: number) => boolean): void {
  vi.spyOn(SlotSearch.prototype, "find").mockImplementation(function (this: SlotSearch, ...hash) {
    return find.apply(this, hash).filter(({ kind }) => !isHidden(kind));
  });
}

function expectFound(): void {
  expect(() => {
    for (const [seed, scenario] of CHANGES.entries()) exploreAtRandom(scenario, PLANTED_RUNS, seed);
  }).toThrow(/expected a history that sequential calls could have|a call has not ended/);
}
