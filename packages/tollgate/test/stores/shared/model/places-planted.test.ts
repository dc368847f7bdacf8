import { afterEach, expect, it, vi } from "vitest";
import { SharedPlacesLease } from "../../../../src/stores/hybrid/threads/shared-places-lease.ts";
import { SharedMemory } from "../../../../src/stores/shared/shared-memory.ts";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAll } from "./explore-all.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import { LARGE_PLACES, PLACES_TOGETHER } from "./scenarios-places.ts";

const RUNS = 3_000;

afterEach(() => {
  vi.restoreAllMocks();
});

it("the exploration finds a place that is lent twice: a write in place of a swap", { timeout: TIMEOUT_MS }, () => {
  swapBlindly((low, newLow) => newLow === low - 1);
  expectFound("two threads lend the last places");
});

it("the exploration finds a place that is freed and lost", { timeout: TIMEOUT_MS }, () => {
  swapBlindly((low, newLow) => newLow === low + 1);
  expectFound("two threads lend the last places");
});

it("the exploration finds places that are given back and lent", { timeout: TIMEOUT_MS }, () => {
  swapBlindly((low, newLow) => newLow >= 2 ** 30 && low < 2 ** 30);
  expectFound("a thread gives back what another one lends and frees");
});

it("the exploration finds a lease whose number grows before its size", { timeout: TIMEOUT_MS }, () => {
  const { grow, renumber } = SharedPlacesLease.prototype;
  vi.spyOn(SharedPlacesLease.prototype, "grow").mockImplementation(function (this: SharedPlacesLease, ...args) {
    renumber.call(this, args[0]);
    return grow.apply(this, args);
  });
  expectFound("a lease gets more places while another thread lends and reports");
});

it("the exploration finds two threads that ask about one lease", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(SharedPlacesLease.prototype, "lock").mockReturnValue(0);
  expectFound("two threads ask for more at the same time");
});

/** Chosen swaps replace whatever is there. */
function swapBlindly(isChosen: (low: number, newLow: number) => boolean): void {
  const { swap } = SharedMemory.prototype;
  vi.spyOn(SharedMemory.prototype, "swap").mockImplementation(function (this: SharedMemory, word, low, high, ...pair) {
    return isChosen(low, pair[0])
      ? swap.call(this, word, this.words[word]!, this.words[word + 1]!, ...pair)
      : swap.call(this, word, low, high, ...pair);
  });
}

function expectFound(name: string): void {
  const scenario = [...PLACES_TOGETHER, ...LARGE_PLACES].find((one) => one.name === name)!;
  const explore = () =>
    PLACES_TOGETHER.includes(scenario) ? exploreAll(scenario) : exploreAtRandom(scenario, RUNS, 1);
  expect(explore).toThrow(`${name}: expected places that are in use once`);
}
