import { fixedWindow, type Limit, perDay, slidingWindow } from "tollgate";
import type { Algorithm } from "./flood.ts";

/** So many a day. No window ends in the middle of a flood, not even at midnight. */
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
