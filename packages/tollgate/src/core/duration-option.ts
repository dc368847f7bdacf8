import { formatMicroseconds, isZero, microsecondsOf, toMilliseconds } from "./duration.ts";
import { show, TollgateError } from "./errors.ts";

/**
 * A duration option in whole milliseconds. Where `leastMs` is 0, `0` and texts such as `"0s"` are accepted.
 *
 * @throws TollgateError `ERR_DURATION` with the accepted range.
 */
export function checkDuration(option: string, duration: unknown, leastMs: number, mostMs: number): number {
  const ms = isZero(duration) ? 0 : toMilliseconds(microsecondsOf(duration));
  if (Number.isSafeInteger(ms) && ms >= leastMs && ms <= mostMs) return ms;
  throw new TollgateError(
    "ERR_DURATION",
    `${option}: expected whole milliseconds or text such as "250ms" or "5s", ` +
      `from ${textOf(leastMs)} to ${textOf(mostMs)}, got ${show(duration)}`,
  );
}

function textOf(ms: number): string {
  return ms === 0 ? "0" : formatMicroseconds(ms * 1000);
}
