import { checkOptions, type OptionHints } from "../core/check-options.ts";
import type { Key } from "../core/key.ts";
import type { SyncStore } from "../core/store.ts";
import type { ChosenLimits } from "./choosing/limits-choice.ts";
import type { AsyncOption, CreateOptions, StoreOption } from "./created-limiter.ts";

type OptionName =
  | keyof CreateOptions<never, Key, ChosenLimits>
  | keyof StoreOption<SyncStore>
  | keyof AsyncOption<true>;

const NAMES: Readonly<Record<OptionName, true>> = {
  name: true,
  key: true,
  limits: true,
  onChange: true,
  maxWaiting: true,
  barging: true,
  store: true,
  async: true,
  clock: true,
  onFailure: true,
  observe: true,
};

const OF_A_LIMIT = "write { limits: [perMinute(100, { burst: 20 })] }";
/** What other rate limiters call these options, and what is passed in place of options. */
const HINTS: OptionHints = {
  "": OF_A_LIMIT,
  algorithm: OF_A_LIMIT,
  burst: OF_A_LIMIT,
  capacity: OF_A_LIMIT,
  duration: OF_A_LIMIT,
  keyGenerator: 'it is called "key" here',
  keyPrefix: 'it is called "name" here',
  max: OF_A_LIMIT,
  points: OF_A_LIMIT,
  window: OF_A_LIMIT,
  windowMs: OF_A_LIMIT,
};

/** @throws TollgateError `ERR_OPTION` unless these are options of `createLimiter`, all of them known. */
export function checkLimiterOptionNames(options: unknown): void {
  checkOptions("createLimiter", options, NAMES, HINTS);
}
