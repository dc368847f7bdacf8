import type { BlockEnd } from "../core/blocks.ts";
import { checkOptions, optionError } from "../core/check-options.ts";
import { isTime } from "../core/clock.ts";
import { type Duration, LONGEST_US, toMicroseconds, toMilliseconds } from "../core/duration.ts";
import { show, TollgateError } from "../core/errors.ts";

/** A `Date`, of any realm. */
interface Moment {
  getTime(): number;
}

/** How long a key is blocked: for a duration, or until a moment, in milliseconds since the epoch or as a `Date`. */
export type BlockTime = Duration | { readonly until: number | Moment };

/** What `block` notes beside the time. */
export interface BlockOptions {
  /** Text of 1 to 100 characters, for decisions and logs. Adapters send it to no client. */
  readonly reason?: string;
}

/** Stores of a fixed layout have room for so much text. */
const LONGEST_REASON = 100;

/** @throws TollgateError `ERR_OPTION`. */
export function checkReason(options: unknown): string | undefined {
  if (options === undefined) return undefined;
  checkOptions("block", options, { reason: true });
  const { reason } = options as { readonly reason?: unknown };
  if (reason === undefined) return undefined;
  if (typeof reason === "string" && reason.length > 0 && reason.length <= LONGEST_REASON) return reason;
  throw new TollgateError(
    "ERR_OPTION",
    `reason: expected text of 1 to ${LONGEST_REASON} characters, got ${show(reason)}`,
  );
}

/** @throws TollgateError `ERR_OPTION`, or `ERR_DURATION` unless it is a duration or a moment within ten years. */
export function checkSpan(span: unknown, nowUs: number): BlockEnd {
  if (typeof span !== "object" || span === null) return { forUs: toMicroseconds("duration", span as Duration) };
  if (isMoment(span)) throw optionError("block", "a duration or { until }", span, "; write { until: date }");
  checkOptions("block", span, { until: true });
  const { until } = span as { readonly until?: unknown };
  const ms: unknown = isMoment(until) ? until.getTime() : until;
  const untilUs = isTime(ms) ? Math.round(ms * 1000) : Number.NaN;
  if (untilUs > nowUs && untilUs - nowUs <= LONGEST_US) return { untilUs };
  const got = isMoment(until) ? String(ms) : show(until);
  throw new TollgateError(
    "ERR_DURATION",
    "until: expected a Date, or milliseconds since the epoch, after now and at most 10 years later, " +
      `got ${got} at ${toMilliseconds(nowUs)}`,
  );
}

function isMoment(value: unknown): value is Moment {
  return typeof value === "object" && value !== null && "getTime" in value && typeof value.getTime === "function";
}
