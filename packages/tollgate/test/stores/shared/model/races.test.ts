import { afterEach, expect, it, vi } from "vitest";
import { TokenBucketKernel } from "../../../../src/algorithms/token-bucket.ts";
import { TIMEOUT_MS } from "./check-interleavings.ts";
import { checkEveryRace, checkRandomRaces } from "./check-races.ts";
import { exploreAll } from "./explore-all.ts";
import { RACES } from "./races.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

// A part of what the deep tests explore.
checkEveryRace(RACES.slice(0, 2));
checkRandomRaces(2, 20);

it.each(RACES.slice(0, 3))(
  "the exploration finds a revocation of the whole cost: $name",
  { timeout: TIMEOUT_MS },
  (scenario) => {
    vi.spyOn(TokenBucketKernel.prototype, "revoke").mockImplementation(function (
      this: TokenBucketKernel,
      cells,
      at,
      _taken,
      now,
      cost,
    ) {
      this.refund(cells, at, now, cost);
    });
    expect(() => exploreAll(scenario)).toThrow("expected admissions within every limit");
  },
);

it("the exploration finds a revocation that does nothing", { timeout: TIMEOUT_MS }, () => {
  vi.spyOn(TokenBucketKernel.prototype, "revoke").mockImplementation(() => {});
  expect(() => exploreAll(RACES[3]!)).toThrow("and nothing lost");
});
