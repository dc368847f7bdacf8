import { describe, it } from "vitest";
import { expectNothingAllocated, expectReadingAllocated, STORES } from "./allocated-bytes.ts";

const LISTS = ["two token buckets", "sliding window", "fixed window", "all kinds"];

describe.each(STORES)("allow over a %s store", (store) => {
  it.each(LISTS)("allocates nothing for a key in use in a process with limits of one list: %s", (list) =>
    expectNothingAllocated(store, [list]),
  );

  it.each(["own", "coarse"] as const)("allocates what a reading of its %s clock does, and nothing else", (clock) =>
    expectReadingAllocated(store, clock),
  );
});
