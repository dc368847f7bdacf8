import { fixedWindow, type Limit, memoryStore, perDay, slidingWindow } from "tollgate";
import type { OnFailure } from "tollgate/redis";
import { type Algorithm, type Policy, SHARE } from "./flood.ts";

/** A limit of `capacity` a day. No window ends during a flood, not even at midnight. */
export function limitOf(algorithm: Algorithm, capacity: number): Limit {
  switch (algorithm) {
    case "token bucket":
      return perDay(capacity);
    case "sliding window":
      return slidingWindow({ limit: capacity, window: "1d" });
    case "fixed window":
      return fixedWindow({ limit: capacity, window: "1d", anchor: "first-use" });
    default:
      return algorithm satisfies never;
  }
}

/** The failure policy as an option of the store. */
export function onFailureOf(policy: Policy): OnFailure {
  return policy === "half a share" ? { fallback: memoryStore(), share: SHARE } : policy;
}
