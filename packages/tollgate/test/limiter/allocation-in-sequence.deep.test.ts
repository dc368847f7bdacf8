import { describe, it } from "vitest";
import { expectNothingAllocated, STORES } from "./allocated-bytes.ts";

// The engine has compiled `allow` for one kind of limit when the next kind comes.
const LISTS = ["token bucket", "two token buckets", "sliding window", "fixed window", "all kinds"];

describe("allow in a process that has limiters of every kind, one after another,", () => {
  it.each(STORES)("allocates nothing for a key in use over a %s store", (store) =>
    expectNothingAllocated(store, LISTS),
  );
});
