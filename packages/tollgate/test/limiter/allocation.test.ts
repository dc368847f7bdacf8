import { describe, it } from "vitest";
import { expectNothingAllocated, STORES } from "./allocated-bytes.ts";

// `allocation.deep.test.ts` and `allocation-in-sequence.deep.test.ts` measure other lists of limits and other clocks.
describe("allow under a token bucket", () => {
  it.each(STORES)("allocates nothing for a key in use over a %s store", (store) =>
    expectNothingAllocated(store, ["token bucket"]),
  );
});
