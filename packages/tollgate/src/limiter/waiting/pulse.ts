import { readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import { TIMERS_END_WITH_REQUESTS } from "../../core/timer.ts";
import type { KeyLine, Waiter, WaiterPulse } from "./waiter.ts";

const SHORTEST_MS = 5;
const LONGEST_MS = 50;
/** A call that has not asked by then is of a request that has ended: its client has gone. */
const GONE_AFTER_MS = 500;
/** And one that asked, but got no answer, ended meanwhile. */
const LOST_AFTER_MS = 10_000;

/**
 * The timers of a call's own request, which wake the line again and again while the call waits. Elsewhere the one timer
 * of a line serves the calls of all requests.
 */
class Pulse implements WaiterPulse {
  readonly #waiter: Waiter;
  #ask: (() => void) | undefined = undefined;
  #head: Waiter | undefined = undefined;
  /** How long this call has seen the head being asked for. */
  #askedMs = 0;

  constructor(waiter: Waiter) {
    this.#waiter = waiter;
    this.#plan();
  }

  get isDue(): boolean {
    return this.#ask !== undefined;
  }

  askLater(ask: () => void): void {
    this.#ask = ask;
  }

  /**
   * One more timer follows the end of the wait. Another request's timer may have ended it, and the runtime cancels a
   * request without timers before it passes the end on.
   */
  #plan(): void {
    const { line } = this.#waiter;
    const ms = line === undefined ? LONGEST_MS : delayMs(line, this.#waiter);
    setTimeout(() => {
      if (line === undefined) return;
      this.#beat(ms);
      this.#plan();
    }, ms);
  }

  #beat(ms: number): void {
    const { line } = this.#waiter;
    if (line === undefined) return;
    const { head } = line;
    this.#askedMs = line.dueUs === undefined && head === this.#head ? this.#askedMs + ms : 0;
    this.#head = head;
    const ask = this.#ask;
    this.#ask = undefined;
    if (ask !== undefined) ask();
    else if (head !== undefined && this.#askedMs > (head.pulse?.isDue === true ? GONE_AFTER_MS : LOST_AFTER_MS))
      line.failed(head, lostError());
    else line.wake();
  }
}

/** Begins the timers of a call that waits, where it needs some. */
export function beginPulse(waiter: Waiter): void {
  if (TIMERS_END_WITH_REQUESTS && waiter.line !== undefined) waiter.pulse = new Pulse(waiter);
}

function delayMs({ head, dueUs }: KeyLine, waiter: Waiter): number {
  if (dueUs === undefined || head !== waiter) return LONGEST_MS;
  const leftMs = Math.ceil((dueUs - readUs(waiter.call.lines[0]!.clock)) / 1_000);
  return Math.min(Math.max(leftMs, SHORTEST_MS), LONGEST_MS);
}

function lostError(): TollgateError {
  return new TollgateError("ERR_STORE", "wait: expected an answer of the store, got none before the request ended");
}
