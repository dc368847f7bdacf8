import { afterEach, expect, it, vi } from "vitest";
import { AskClaim } from "../../../../src/stores/hybrid/threads/ask-claim.ts";
import { LeasePlace } from "../../../../src/stores/hybrid/threads/lease-place.ts";
import type * as Seen from "../../../../src/stores/hybrid/threads/seen-lease.ts";
import { SharedMemory } from "../../../../src/stores/shared/shared-memory.ts";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { exploreAll } from "./explore-all.ts";
import { exploreAtRandom } from "./explore-at-random.ts";
import type { Scenario } from "./scenario.ts";
import { LARGE_LEASES, LEASES } from "./scenarios-leases.ts";

const RUNS = 3_000;

const planted = vi.hoisted(() => ({ leasesLast: false }));

vi.mock("../../../../src/stores/hybrid/threads/seen-lease.ts", async (importOriginal) => {
  const seen = await importOriginal<typeof Seen>();
  const spendOf: typeof seen.spendOf = (lease, costs, ...times) =>
    planted.leasesLast ? lease.place.spend(costs, lease.tag) : seen.spendOf(lease, costs, ...times);
  const lasts: typeof seen.lasts = (...args) => planted.leasesLast || seen.lasts(...args);
  return { ...seen, lasts, spendOf };
});

afterEach(() => {
  planted.leasesLast = false;
  vi.restoreAllMocks();
});

it("the exploration finds units that are spent twice: a write in place of a swap", { timeout: TIMEOUT_MS }, () => {
  swapBlindly((low, high, newLow, newHigh) => high === newHigh && newLow < low);
  expectFound("two threads spend the last units of a lease");
});

it("the exploration finds units that are spent and returned", { timeout: TIMEOUT_MS }, () => {
  swapBlindly((_low, high, newLow, newHigh) => high !== newHigh && newLow === 0);
  expectFound("a thread gives back what another one spends");
});

it("the exploration finds a report of fewer units than can be spent", { timeout: TIMEOUT_MS }, () => {
  const { left } = LeasePlace.prototype;
  vi.spyOn(LeasePlace.prototype, "left").mockImplementation(function (this: LeasePlace, ...args) {
    return Math.floor(left.apply(this, args) / 2);
  });
  expectFound("a report while another thread spends");
});

it("the exploration finds a lease that is spent after its end", { timeout: TIMEOUT_MS }, () => {
  planted.leasesLast = true;
  expectFound("a lease ends while threads spend, and a new one comes");
});

it("the exploration finds two threads that ask at once", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(AskClaim.prototype, "take").mockReturnValue(true);
  expectFound("two threads want to ask");
});

it("the exploration finds a slow thread that replaces what a later one has put", { timeout: TIMEOUT_MS }, () => {
  swapBlindly((_low, high, _newLow, newHigh) => high !== newHigh);
  expectFound("two threads put leases, and there is one place");
});

/** Chosen swaps replace whatever is there. */
function swapBlindly(isChosen: (low: number, high: number, newLow: number, newHigh: number) => boolean): void {
  const { swap } = SharedMemory.prototype;
  vi.spyOn(SharedMemory.prototype, "swap").mockImplementation(function (this: SharedMemory, word, low, high, ...pair) {
    return isChosen(low, high, ...pair)
      ? swap.call(this, word, this.words[word]!, this.words[word + 1]!, ...pair)
      : swap.call(this, word, low, high, ...pair);
  });
}

function expectFound(name: string): void {
  const explore = (scenario: Scenario) =>
    LEASES.includes(scenario) ? exploreAll(scenario) : exploreAtRandom(scenario, RUNS, 1);
  const scenario = [...LEASES, ...LARGE_LEASES].find((one) => one.name === name)!;
  expect(() => explore(scenario)).toThrow(`${name}: expected units that are spent, returned or left once`);
}
