import type { Limit } from "../core/limits/limit.ts";
import { FixedWindowKernel } from "./fixed-window.ts";
import type { Kernel } from "./kernel.ts";
import { SlidingWindowKernel } from "./sliding-window.ts";
import { TokenBucketKernel } from "./token-bucket.ts";

/**
 * The kernel of a limit. `originUs` is a moment within 20 years of every one at which it will be asked; only token buckets
 * depend on it, and all origins decide alike.
 */
export function compileLimit(limit: Limit, originUs: number): Kernel {
  switch (limit.algorithm) {
    case "token-bucket":
      return new TokenBucketKernel(limit, originUs);
    case "sliding-window":
      return new SlidingWindowKernel(limit);
    case "fixed-window":
      return new FixedWindowKernel(limit);
    default:
      return limit satisfies never;
  }
}
