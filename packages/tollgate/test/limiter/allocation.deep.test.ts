import { describe, it } from "vitest";
import { expectNothingAllocated, STORES } from "./allocated-bytes.ts";

const LISTS = ["two token buckets", "sliding window", "fixed window", "all kinds"];

describe.each(STORES)("allow over a %s store allocates nothing for a key in use", (store) => {
  it.each(LISTS)("in a process that only has limits of this list: %s", (list) => expectNothingAllocated(store, [list]));
});
