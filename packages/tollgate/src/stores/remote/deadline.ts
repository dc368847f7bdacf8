import { preciseMs } from "../../core/clock.ts";
import { TIMERS_END_WITH_REQUESTS } from "../../core/timer.ts";
import { afterThisTurn } from "./event-loop.ts";

interface DeadlineOptions<Call> {
  readonly timeoutMs: number;
  /** How long the server has for its first reply, from the first call on. */
  readonly connectTimeoutMs: number;
  readonly isConnected: () => boolean;
  /** Ends a call whose reply is late. Its `cancelFlag` is cancelled. */
  readonly giveUp: (call: Call) => void;
}

/** The least number of steps during a timeout. */
const STEPS_PER_TIMEOUT = 10;
const LONGEST_STEP_MS = 50;
/** If a step is later than planned by more than this, the process was busy. The server was not necessarily silent. */
const LATE_MS = 2;

/** Calls to which one server replies. */
export interface Lane {
  /** When it last replied, in this deadline's time. */
  repliedMs: number;
}

/** The `index` of a call before it is sent, and after it was answered, failed or given up. */
export const NOT_WAITING = -1;

/** A call that waits for its reply. */
export interface AwaitedCall {
  readonly lane: Lane;
  /** When the oldest call was made, in this deadline's time. Then the start of the server's silence for this call. */
  quietSinceMs: number;
  readonly cancelFlag: { cancel(): void };
  /** Its index among the calls that wait, or `NOT_WAITING`. */
  index: number;
}

/**
 * Times out replies. The timeout starts when a call was sent, or should have been. While the server answers other
 * calls, the timeout of a call that is queued behind them does not run.
 */
export class Deadline<Call extends AwaitedCall> {
  readonly #options: DeadlineOptions<Call>;
  #countedMs = 0;
  #countedAtMs = preciseMs();
  #mostMs = 0;
  /** No set: V8 copies its table when calls come and go, and old tables keep them. */
  readonly #calls: Call[] = [];
  #startedMs: number | undefined;
  #isPatient: boolean;
  /** When the server replied for the first time. The timeout of earlier calls starts then. */
  #firstReplyMs = 0;
  #isRunning = false;
  /** Calls that wait until the client has connected, or the time for that is over. */
  #connecting: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(options: DeadlineOptions<Call>) {
    this.#options = options;
    this.#isPatient = options.connectTimeoutMs > 0;
  }

  /**
   * Counts the milliseconds in which this process listened to the server. Time in which the event loop was blocked does
   * not count: replies may have arrived meanwhile, and requests may not have left.
   */
  get nowMs(): number {
    return this.#countedMs + Math.min(preciseMs() - this.#countedAtMs, this.#mostMs);
  }

  /** The timeout that applies now. */
  get leftMs(): number {
    const { timeoutMs, connectTimeoutMs } = this.#options;
    if (!this.#isPatient) return timeoutMs;
    return Math.max(timeoutMs, connectTimeoutMs - (this.nowMs - (this.#startedMs ?? this.nowMs)));
  }

  /** Ends when the client has connected, or the time for that is over; `undefined` if calls may be sent now. */
  get connecting(): Promise<void> | undefined {
    if (!this.#isPatient || this.#options.isConnected()) return undefined;
    if (this.#connecting === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.#connecting = { promise, resolve };
      if (!this.#isRunning || TIMERS_END_WITH_REQUESTS) this.#start();
    }
    return this.#connecting.promise;
  }

  /** Whether the first reply is still pending and not late. */
  get isPatient(): boolean {
    return this.#isPatient;
  }

  /** Since when the server has been silent for a call that was made at `sinceMs`. */
  quietSince({ repliedMs }: Lane, sinceMs: number): number {
    return Math.max(sinceMs, this.#firstReplyMs, repliedMs);
  }

  /** Gives the call up if its reply is late. */
  expect(call: Call): void {
    if (!this.#isRunning || TIMERS_END_WITH_REQUESTS) this.#start();
    call.quietSinceMs = this.quietSince(call.lane, call.quietSinceMs);
    call.index = this.#calls.push(call) - 1;
  }

  /** Waits for a call no longer. @returns `false` if it did not wait for it. */
  forget(call: Call): boolean {
    const { index } = call;
    if (index === NOT_WAITING) return false;
    call.index = NOT_WAITING;
    const last = this.#calls.pop();
    if (last === undefined || last === call) return true;
    this.#calls[index] = last;
    last.index = index;
    return true;
  }

  /** Cancels all calls that wait: whether they were executed is unknown, and the client may send them again. */
  cancelAll(): void {
    for (const { cancelFlag } of this.#calls) cancelFlag.cancel();
  }

  /** Notes a reply of the server, which may be an error. */
  noteReply(lane: Lane): void {
    const { nowMs } = this;
    if (this.#isPatient) this.#firstReplyMs = nowMs;
    this.#isPatient = false;
    lane.repliedMs = nowMs;
  }

  get #stepMs(): number {
    return Math.min(LONGEST_STEP_MS, Math.max(1, Math.floor(this.#options.timeoutMs / STEPS_PER_TIMEOUT)));
  }

  /** Starts the steps, which go on while there is something to wait for: for each call, if they end with requests. */
  #start(): void {
    this.#isRunning = true;
    this.#startedMs ??= this.nowMs;
    this.#plan(this.#stepMs);
  }

  #plan(ms: number): void {
    this.#count(ms);
    setTimeout(() => {
      this.#count(0);
      // The process first reads what arrived while it was blocked.
      afterThisTurn(() => this.#step());
    }, ms);
  }

  /** Counts up to now. The next step is planned in so many milliseconds. */
  #count(nextMs: number): void {
    this.#countedMs = this.nowMs;
    this.#countedAtMs = preciseMs();
    this.#mostMs = nextMs + LATE_MS;
  }

  #step(): void {
    const { connectTimeoutMs, isConnected } = this.#options;
    if (this.#isPatient && this.nowMs - (this.#startedMs ?? 0) >= connectTimeoutMs) this.#isPatient = false;
    let nextMs = this.#stepMs;
    if (!this.#isPatient) nextMs = Math.min(nextMs, this.#timeOut());
    if (!this.#isPatient || isConnected()) {
      this.#connecting?.resolve();
      this.#connecting = undefined;
    }
    this.#isRunning = this.#calls.length > 0 || this.#connecting !== undefined;
    if (this.#isRunning) this.#plan(Math.max(1, Math.ceil(nextMs)));
  }

  /** @returns the milliseconds until the next call would time out. */
  #timeOut(): number {
    const { timeoutMs, giveUp } = this.#options;
    const { nowMs } = this;
    let leastMs = timeoutMs;
    for (const call of [...this.#calls]) {
      const leftMs = Math.max(call.quietSinceMs, this.#firstReplyMs) + timeoutMs - nowMs;
      if (leftMs <= 0) {
        call.cancelFlag.cancel();
        giveUp(call);
      } else leastMs = Math.min(leastMs, leftMs);
    }
    return leastMs;
  }
}
