import { checkOptions, optionError } from "../../core/check-options.ts";
import type { Cost } from "../../core/cost.ts";
import { type Duration, isZero, toMicroseconds } from "../../core/duration.ts";

/** What a wait needs of an `AbortSignal`. That type is not there in every environment in which limiters compile. */
export interface WaitSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** How long `wait` waits, and what ends the wait before. */
export interface WaitOptions {
  /** An `AbortSignal`. If it aborts, the call waits no more, takes nothing, and rejects with the signal's reason. */
  readonly signal?: WaitSignal | undefined;
  /** A wait that cannot end within this time is denied at once. 0 waits not at all; without it a call waits on. */
  readonly maxWait?: Duration | undefined;
}

/** The options of one piece of work that waits for its turn. */
export interface RunOptions extends WaitOptions {
  readonly cost?: Cost | undefined;
}

/** The checked options of a wait. */
export interface CheckedWait {
  readonly signal: WaitSignal | undefined;
  /** `Infinity` without a bound. */
  readonly maxWaitUs: number;
}

const NAMES = { signal: true, maxWait: true } as const;
const RUN_NAMES = { ...NAMES, cost: true } as const;
const UNBOUNDED: CheckedWait = { signal: undefined, maxWaitUs: Number.POSITIVE_INFINITY };

/** @throws TollgateError `ERR_OPTION` or `ERR_DURATION`. */
export function checkWaitOptions(verb: string, options: WaitOptions | undefined): CheckedWait {
  if (options === undefined) return UNBOUNDED;
  checkOptions(verb, options, verb === "run" ? RUN_NAMES : NAMES);
  const { signal, maxWait } = options;
  if (signal !== undefined && !isSignal(signal)) throw optionError("signal", "an AbortSignal", signal);
  if (maxWait === undefined) return { signal, maxWaitUs: Number.POSITIVE_INFINITY };
  return { signal, maxWaitUs: isZero(maxWait) ? 0 : toMicroseconds("maxWait", maxWait) };
}

/** An `AbortSignal`, of any realm. */
function isSignal(value: unknown): value is WaitSignal {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}
