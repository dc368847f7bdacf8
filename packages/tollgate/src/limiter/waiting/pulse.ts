import { readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { KeyLine, Waiter } from "./waiter.ts";

/** How long after a line's own timer the calls behind its head wake it. */
const BEHIND_MS = 50;
const LEAST_MS = 5;
const LONGEST_MS = 1_000;
/** An answer of the store that takes longer went to a request that has ended meanwhile. */
const LOST_AFTER_MS = 10_000;

/** Workers of Cloudflare end the timers and messages of a request with it. */
const ENDS_TIMERS =
  (globalThis as { navigator?: { userAgent?: unknown } }).navigator?.userAgent === "Cloudflare-Workers";

/**
 * Wakes the line of a call again and again while the call waits, by timers of the call's own request. Elsewhere the one
 * timer of a line serves the calls of all requests.
 */
export function pulse(waiter: Waiter): void {
  if (ENDS_TIMERS) beat(waiter, waiter.line?.head, 0);
}

/** `head` has been asked for since `askedMs` milliseconds, as far as this call has seen. */
function beat(waiter: Waiter, head: Waiter | undefined, askedMs: number): void {
  const { line } = waiter;
  if (line === undefined) return;
  const ms = delayMs(line, waiter);
  setTimeout(() => {
    const isAsked = line.dueUs === undefined && line.head === head;
    if (isAsked && head !== undefined && askedMs > LOST_AFTER_MS) line.failed(head, lostError());
    else line.wake();
    beat(waiter, line.head, isAsked ? askedMs + ms : 0);
  }, ms);
}

function delayMs({ head, dueUs }: KeyLine, waiter: Waiter): number {
  if (dueUs === undefined) return LONGEST_MS;
  const leftMs = (dueUs - readUs(waiter.call.lines[0]!.clock)) / 1_000 + (head === waiter ? 0 : BEHIND_MS);
  return Math.min(Math.max(Math.ceil(leftMs), LEAST_MS), LONGEST_MS);
}

function lostError(): TollgateError {
  return new TollgateError("ERR_STORE", "wait: expected an answer of the store, got none within 10 seconds");
}
