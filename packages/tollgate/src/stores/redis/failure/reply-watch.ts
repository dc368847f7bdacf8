import type { CancelFlag } from "../clients/cancel-flag.ts";
import { afterThisTurn, ListeningTime } from "../event-loop.ts";
import { Linked, LinkedSet } from "../linked-set.ts";

interface ReplyWatchOptions {
  readonly timeoutMs: number;
  /** How long the server has for its first reply, from the first call on. */
  readonly connectTimeoutMs: number;
  /** Called at each step, after the process has read what arrived. Returns whether to keep watching. */
  readonly onStep: () => boolean;
}

/** The least number of steps during a timeout. */
const STEPS_PER_TIMEOUT = 10;
const LONGEST_STEP_MS = 50;

/** A call that waits for its reply. */
export abstract class Awaited extends Linked<Awaited> {
  /** One server replies to all calls of a lane. */
  abstract readonly lane: number;
  /** When the oldest call was made, in this watch's time. Then the start of the server's silence for this call. */
  abstract quietSinceMs: number;
  /** Cancelled before the call is given up. */
  abstract readonly cancelFlag: CancelFlag;
  /** Called once, if the reply is late. */
  abstract giveUp(): void;
}

/**
 * Times out replies. The timeout starts when a call was sent, or should have been. While the server answers other
 * calls, the timeout of a call that is queued behind them does not run.
 */
export class ReplyWatch {
  readonly #options: ReplyWatchOptions;
  readonly #time = new ListeningTime();
  readonly #awaited = new LinkedSet<Awaited>();
  /** When the server of each lane last replied. */
  readonly #repliedMs = new Map<number, number>();
  #startedMs: number | undefined;
  #isPatient: boolean;
  /** When the server replied for the first time. The timeout of earlier calls starts then. */
  #firstReplyMs = 0;
  #isRunning = false;

  constructor(options: ReplyWatchOptions) {
    this.#options = options;
    this.#isPatient = options.connectTimeoutMs > 0;
  }

  get nowMs(): number {
    return this.#time.nowMs;
  }

  /** Whether the first reply is still pending and not late. */
  get isPatient(): boolean {
    return this.#isPatient;
  }

  /** The timeout that applies now. */
  get leftMs(): number {
    const { timeoutMs, connectTimeoutMs } = this.#options;
    if (!this.#isPatient) return timeoutMs;
    return Math.max(timeoutMs, connectTimeoutMs - (this.nowMs - (this.#startedMs ?? this.nowMs)));
  }

  /** Whether a call that was made at `sinceMs` and is queued has timed out. */
  isSilent(lane: number, sinceMs: number): boolean {
    return !this.#isPatient && this.nowMs - this.#quietSince(lane, sinceMs) >= this.#options.timeoutMs;
  }

  /** Starts the steps, which go on while there is something to watch. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#startedMs ??= this.nowMs;
    this.#plan(this.#stepMs);
  }

  /** Gives the call up if its reply is late. */
  expect(awaited: Awaited): void {
    this.start();
    awaited.quietSinceMs = this.#quietSince(awaited.lane, awaited.quietSinceMs);
    this.#awaited.add(awaited);
  }

  /**
   * Ends the wait of a call that was answered or failed.
   *
   * @returns `false` if the call was given up before.
   */
  ended(awaited: Awaited): boolean {
    return this.#awaited.delete(awaited);
  }

  /** Cancels all calls that wait: whether they were executed is unknown, and the client may send them again. */
  cancelAll(): void {
    for (const { cancelFlag } of this.#awaited.toArray()) cancelFlag.cancel();
  }

  /** Notes a reply of the server, which may be an error. Only calls made before it need its time. */
  noteReply(lane: number, isAwaited: boolean): void {
    if (!(isAwaited || this.#isPatient)) return;
    const { nowMs } = this;
    if (this.#isPatient) this.#firstReplyMs = nowMs;
    this.#isPatient = false;
    this.#repliedMs.set(lane, nowMs);
  }

  #quietSince(lane: number, sinceMs: number): number {
    return Math.max(sinceMs, this.#firstReplyMs, this.#repliedMs.get(lane) ?? 0);
  }

  get #stepMs(): number {
    return Math.min(LONGEST_STEP_MS, Math.max(1, Math.floor(this.#options.timeoutMs / STEPS_PER_TIMEOUT)));
  }

  #plan(ms: number): void {
    this.#time.step(ms);
    setTimeout(() => {
      this.#time.step(0);
      // The process first reads what arrived while it was blocked.
      afterThisTurn(() => this.#step());
    }, ms);
  }

  #step(): void {
    const { connectTimeoutMs } = this.#options;
    if (this.#isPatient && this.nowMs - (this.#startedMs ?? 0) >= connectTimeoutMs) this.#isPatient = false;
    let nextMs = this.#stepMs;
    if (!this.#isPatient) nextMs = Math.min(nextMs, this.#timeOut());
    this.#isRunning = this.#options.onStep() || this.#awaited.size > 0;
    if (this.#isRunning) this.#plan(Math.max(1, Math.ceil(nextMs)));
  }

  /** @returns the milliseconds until the next call would time out. */
  #timeOut(): number {
    const { timeoutMs } = this.#options;
    const { nowMs } = this;
    let leastMs = timeoutMs;
    for (const awaited of this.#awaited.toArray()) {
      const leftMs = Math.max(awaited.quietSinceMs, this.#firstReplyMs) + timeoutMs - nowMs;
      if (leftMs <= 0) {
        this.#awaited.delete(awaited);
        awaited.cancelFlag.cancel();
        awaited.giveUp();
      } else leastMs = Math.min(leastMs, leftMs);
    }
    return leastMs;
  }
}
