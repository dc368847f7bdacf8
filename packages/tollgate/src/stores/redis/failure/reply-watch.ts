import { afterThisTurn } from "../batch/after-this-turn.ts";
import { ListeningTime } from "./listening-time.ts";
import { Outage, TIMED_OUT } from "./outage.ts";

export interface ReplyWatchOptions {
  readonly timeoutMs: number;
  /** Until the server has answered for the first time it has so long, counted from the first call. */
  readonly connectTimeoutMs: number;
  /** Called at each step, after this process has read what had come. Says whether there is more to watch. */
  readonly stepped: () => boolean;
}

/** The watch looks at least so often during a timeout. */
const STEPS_PER_TIMEOUT = 10;
const LONGEST_STEP_MS = 50;

interface Awaited {
  /** From then on the server has been silent, as far as this call can tell. */
  readonly quietSinceMs: number;
  readonly giveUp: () => void;
}

/**
 * Gives up replies that the server does not send in time. Time counts from when a call was sent, or should have been: as long as the
 * server answers other calls, a call that waits behind them in this process has all its time left.
 */
export class ReplyWatch {
  readonly #options: ReplyWatchOptions;
  readonly #time = new ListeningTime();
  readonly #awaited = new Set<Awaited>();
  /** When each lane last answered. */
  readonly #heardMs = new Map<number, number>();
  #startedMs: number | undefined;
  #isPatient: boolean;
  /** When the server answered for the first time: what had waited until then begins to wait. */
  #firstHeardMs = 0;
  #isRunning = false;

  constructor(options: ReplyWatchOptions) {
    this.#options = options;
    this.#isPatient = options.connectTimeoutMs > 0;
  }

  get nowMs(): number {
    return this.#time.nowMs;
  }

  /** Whether the server has neither answered yet nor had the time to. */
  get isPatient(): boolean {
    return this.#isPatient;
  }

  /** How long the server may be silent now. */
  get leftMs(): number {
    const { timeoutMs, connectTimeoutMs } = this.#options;
    if (!this.#isPatient) return timeoutMs;
    return Math.max(timeoutMs, connectTimeoutMs - (this.nowMs - (this.#startedMs ?? this.nowMs)));
  }

  /** Whether the server has been silent for too long, for a call that came then and waits. */
  isSilent(lane: number, sinceMs: number): boolean {
    return !this.#isPatient && this.nowMs - this.#quietSince(lane, sinceMs) >= this.#options.timeoutMs;
  }

  /** Steps while there is something to watch. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#startedMs ??= this.nowMs;
    this.#plan(this.#stepMs);
  }

  /**
   * The reply, or an outage. Calls of one lane are answered by the same server. `sinceMs`: when the oldest call came. `gaveUp` is called
   * before the outage is told; what comes later is dropped.
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
      this.#answered(lane);
      return reply;
    } catch (error) {
      // An error that the server answered with is a sign of it, too; one of the client's is none.
      if (!(error instanceof Outage && error.kind === "server")) this.#answered(lane);
      throw error;
    } finally {
      if (awaited !== undefined) this.#awaited.delete(awaited);
    }
  }

  #quietSince(lane: number, sinceMs: number): number {
    return Math.max(sinceMs, this.#firstHeardMs, this.#heardMs.get(lane) ?? 0);
  }

  #answered(lane: number): void {
    if (this.#isPatient) this.#firstHeardMs = this.nowMs;
    this.#isPatient = false;
    this.#heardMs.set(lane, this.nowMs);
  }

  get #stepMs(): number {
    return Math.min(LONGEST_STEP_MS, Math.max(1, Math.floor(this.#options.timeoutMs / STEPS_PER_TIMEOUT)));
  }

  #plan(ms: number): void {
    this.#time.step(ms);
    setTimeout(() => {
      this.#time.step(0);
      // What came while the process was busy is read first.
      afterThisTurn(() => this.#step());
    }, ms);
  }

  #step(): void {
    const { connectTimeoutMs } = this.#options;
    if (this.#isPatient && this.nowMs - (this.#startedMs ?? 0) >= connectTimeoutMs) this.#isPatient = false;
    let nextMs = this.#stepMs;
    if (!this.#isPatient) nextMs = Math.min(nextMs, this.#giveUpSilent());
    this.#isRunning = this.#options.stepped() || this.#awaited.size > 0;
    if (this.#isRunning) this.#plan(Math.max(1, Math.ceil(nextMs)));
  }

  /** @returns the milliseconds until the next one would be given up. */
  #giveUpSilent(): number {
    const { timeoutMs } = this.#options;
    const { nowMs } = this;
    let leastMs = timeoutMs;
    for (const awaited of this.#awaited) {
      const leftMs = Math.max(awaited.quietSinceMs, this.#firstHeardMs) + timeoutMs - nowMs;
      if (leftMs <= 0) {
        this.#awaited.delete(awaited);
        awaited.giveUp();
      } else leastMs = Math.min(leastMs, leftMs);
    }
    return leastMs;
  }
}
