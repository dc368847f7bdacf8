import { describe, it } from "vitest";
import { expectNothingAllocated, expectReadingAllocated, STORES } from "./allocated-bytes.ts";

// `allocation.deep.test.ts` and `allocation-in-sequence.deep.test.ts` measure the other lists of limits.
describe.each(STORES)("allow over a %s store", (store) => {
  it("allocates nothing for a key in use under a token bucket", () => expectNothingAllocated(store, ["token bucket"]));

  it.each(["own", "coarse"] as const)("allocates what a reading of its %s clock does, and nothing else", (clock) =>
    expectReadingAllocated(store, clock),
  );
});
