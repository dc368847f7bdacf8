import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import { concurrencyAlgorithm } from "./concurrency.ts";
import { fixedWindowAlgorithm } from "./fixed-window.ts";
import type { Algorithm, Kernel } from "./kernel.ts";
import { slidingWindowAlgorithm } from "./sliding-window.ts";
import { tokenBucketAlgorithm } from "./token-bucket.ts";

type AlgorithmName = Limit["algorithm"];

/** Every algorithm under its name: no other place lists them. */
const ALGORITHMS: { readonly [Name in AlgorithmName]: Algorithm<Extract<Limit, { algorithm: Name }>> } = {
  "token-bucket": tokenBucketAlgorithm,
  "sliding-window": slidingWindowAlgorithm,
  "fixed-window": fixedWindowAlgorithm,
  concurrency: concurrencyAlgorithm,
};

/** The algorithm of a limit. */
export function algorithmOf(limit: Limit): Algorithm {
  return ALGORITHMS[limit.algorithm];
}

/** The kernel of a limit. `originUs` is a moment within 20 years of every call. */
export function compileLimit(limit: Limit, originUs: number): Kernel {
  return algorithmOf(limit).compile(limit, originUs);
}

/** Whether a new key starts with less than everything under some limit of a plan. */
export function startsEmpty({ limits }: Plan): boolean {
  return limits.some((limit) => compileLimit(limit, 0).startsEmpty);
}
