import { checkChoice, optionError } from "../../core/check-options.ts";
import { checkStoreOptions, type RedisStoreOptions } from "../redis/redis-options.ts";

/** Options of `hybridStore`: those of `redisStore`, and how calls are decided without a round trip. */
export interface HybridStoreOptions extends RedisStoreOptions {
  /**
   * How calls are decided without a round trip. `"lease"`, the default, takes units in advance and never admits too
   * much. `"threshold"` counts in each process, and asks the server when little is left there: a fleet admits more than
   * the limit.
   */
  readonly strategy?: "lease" | "threshold";
  /** With `"threshold"`, the server is asked below this part of a capacity: above 0, at most 1, by default 0.25. */
  readonly threshold?: number;
}

/** Checked options. */
export interface CheckedHybridOptions {
  readonly redisOptions: RedisStoreOptions;
  /** `undefined`: leases. */
  readonly threshold: number | undefined;
}

const NAMES = { strategy: true, threshold: true } as const;
const BY_DEFAULT = 0.25;

/** @throws TollgateError `ERR_OPTION` that says what was expected and what came. */
export function checkHybridOptions(options: HybridStoreOptions): CheckedHybridOptions {
  checkStoreOptions("hybridStore", options, NAMES);
  const { strategy = "lease", threshold, ...redisOptions } = options;
  checkChoice("strategy", strategy, ["lease", "threshold"]);
  if (strategy === "lease") {
    if (threshold === undefined) return { redisOptions, threshold };
    throw optionError("threshold", 'no threshold without strategy: "threshold"', threshold);
  }
  return { redisOptions, threshold: checkThreshold(threshold ?? BY_DEFAULT) };
}

function checkThreshold(threshold: unknown): number {
  if (typeof threshold === "number" && threshold > 0 && threshold <= 1) return threshold;
  throw optionError("threshold", "a number above 0 and at most 1", threshold);
}
