import { toMicroseconds } from "../core/duration.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import { FixedWindowKernel } from "./fixed-window.ts";
import type { Kernel } from "./kernel.ts";
import { SlidingWindowKernel } from "./sliding-window.ts";
import { TokenBucketKernel } from "./token-bucket.ts";

/** A plan ready to be asked: a kernel per limit and the place of its cells. */
export interface CompiledPlan {
  /** In the order of the plan's limits. */
  readonly kernels: readonly Kernel[];
  /** Per kernel: where its cells begin within a key's cells. */
  readonly offsets: readonly number[];
  /** How many cells a key needs. */
  readonly width: number;
  /** How long after nothing counts any more a key is forgotten: above 0 only where a new key starts with less than full. */
  readonly idleTtlUs: number;
}

/**
 * Compiles a plan. `originUs` is a moment within 20 years of every one at which the kernels will be asked; only token
 * buckets depend on it, and all origins decide alike.
 */
export function compilePlan(plan: Plan, originUs: number): CompiledPlan {
  const kernels = plan.limits.map((limit) => compileLimit(limit, originUs));
  const offsets = new Array<number>(kernels.length).fill(0);
  let width = 0;
  for (const index of plan.cellOrder) {
    offsets[index] = width;
    width += kernels[index]!.size;
  }
  return { kernels, offsets, width, idleTtlUs: Math.max(...plan.limits.map(idleTtlUs)) };
}

function idleTtlUs(limit: Limit): number {
  return limit.algorithm === "token-bucket" && limit.initial === "empty"
    ? toMicroseconds("idleTtl", limit.idleTtlMs)
    : 0;
}

function compileLimit(limit: Limit, originUs: number): Kernel {
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
