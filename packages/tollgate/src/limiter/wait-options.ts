import { checkOptions, optionError } from "../core/check-options.ts";
import { type Duration, isZero, toMicroseconds } from "../core/duration.ts";
import { rejected } from "./promised.ts";

/** What a wait needs of an `AbortSignal`. That type is not there in every environment in which limiters compile. */
export interface WaitSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: AbortListener): void;
  removeEventListener(type: "abort", listener: AbortListener): void;
}

type AbortListener = () => void;

/** How long `wait` waits, and what ends the wait before. */
export interface WaitOptions {
  /** An `AbortSignal`. If it aborts, the call waits no more, takes nothing, and rejects with the signal's reason. */
  readonly signal?: WaitSignal | undefined;
  /** A wait that cannot end within this time is denied at once. 0 waits not at all; without it a call waits on. */
  readonly maxWait?: Duration | undefined;
}

/** The checked options of a wait. */
export interface CheckedWait {
  readonly signal: WaitSignal | undefined;
  /** `Infinity` without a bound. */
  readonly maxWaitUs: number;
}

const NAMES = { signal: true, maxWait: true } as const;
const UNBOUNDED: CheckedWait = { signal: undefined, maxWaitUs: Number.POSITIVE_INFINITY };

/** @throws TollgateError `ERR_OPTION` or `ERR_DURATION`. */
export function checkWaitOptions(options: WaitOptions | undefined): CheckedWait {
  if (options === undefined) return UNBOUNDED;
  checkOptions("wait", options, NAMES);
  const { signal, maxWait } = options;
  if (signal !== undefined && !isSignal(signal)) throw optionError("signal", "an AbortSignal", signal);
  if (maxWait === undefined) return { signal, maxWaitUs: Number.POSITIVE_INFINITY };
  return { signal, maxWaitUs: isZero(maxWait) ? 0 : toMicroseconds("maxWait", maxWait) };
}

/** An `AbortSignal`, of any realm. */
function isSignal(value: unknown): value is WaitSignal {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

/** The result, or the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(result: Promise<T>, signal: WaitSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  let stop = (): void => {};
  const aborted = new Promise<never>((resolve) => {
    stop = () => resolve(rejected(signal.reason));
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
