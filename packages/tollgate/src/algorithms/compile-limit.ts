import type { Limit } from "../core/limits/limit.ts";
import { markOf } from "../core/limits/limit-common.ts";
import type { Plan } from "../core/plan.ts";
import type { Algorithm, Kernel } from "./kernel.ts";

/** The algorithm of a limit, which the limit brings. */
export function algorithmOf(limit: Limit): Algorithm {
  return markOf(limit).algorithm as Algorithm;
}

/** The kernel of a limit. `originUs` is a moment within 20 years of every call. */
export function compileLimit(limit: Limit, originUs: number): Kernel {
  return algorithmOf(limit).compile(limit, originUs);
}

/** Whether a new key starts with less than everything under some limit of a plan. */
export function startsEmpty({ limits }: Plan): boolean {
  return limits.some((limit) => compileLimit(limit, 0).startsEmpty);
}
