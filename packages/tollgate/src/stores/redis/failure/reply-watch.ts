import { afterThisTurn, ListeningTime } from "../event-loop.ts";
import { TIMED_OUT, UnavailableError } from "./unavailable-error.ts";

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
interface Awaited {
  /** The start of the server's silence for this call. */
  readonly quietSinceMs: number;
  readonly giveUp: () => void;
}

/**
 * Times out replies. The timeout starts when a call was sent, or should have been. While the server answers other
 * calls, the timeout of a call that is queued behind them does not run.
 */
export class ReplyWatch {
  readonly #options: ReplyWatchOptions;
  readonly #time = new ListeningTime();
  readonly #awaited = new Set<Awaited>();
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

  /**
   * Rejects with `TIMED_OUT` if the reply is late, after it has called `gaveUp`. A later reply is dropped. One server
   * replies to all calls of a lane. `sinceMs` is when the oldest call was made.
   */
  async reply<T>(lane: number, sinceMs: number, answer: Promise<T>, gaveUp: () => void): Promise<T> {
    this.start();
    let awaited: Awaited | undefined;
    const silence = new Promise<never>((_resolve, reject) => {
      awaited = {
        quietSinceMs: this.#quietSince(lane, sinceMs),
        giveUp: () => {
          gaveUp();
          reject(TIMED_OUT);
        },
      };
      this.#awaited.add(awaited);
    });
    try {
      const reply = await Promise.race([answer, silence]);
      this.#noteReply(lane);
      return reply;
    } catch (error) {
      // An error of the server is a reply, too; an error of the client is not.
      if (!(error instanceof UnavailableError && error.kind === "server")) this.#noteReply(lane);
      throw error;
    } finally {
      if (awaited !== undefined) this.#awaited.delete(awaited);
    }
  }

  #quietSince(lane: number, sinceMs: number): number {
    return Math.max(sinceMs, this.#firstReplyMs, this.#repliedMs.get(lane) ?? 0);
  }

  #noteReply(lane: number): void {
    if (this.#isPatient) this.#firstReplyMs = this.nowMs;
    this.#isPatient = false;
    this.#repliedMs.set(lane, this.nowMs);
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
    for (const awaited of this.#awaited) {
      const leftMs = Math.max(awaited.quietSinceMs, this.#firstReplyMs) + timeoutMs - nowMs;
      if (leftMs <= 0) {
        this.#awaited.delete(awaited);
        awaited.giveUp();
      } else leastMs = Math.min(leastMs, leftMs);
    }
    return leastMs;
  }
}
