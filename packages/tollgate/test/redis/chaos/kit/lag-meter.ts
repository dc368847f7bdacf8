/** A time in which the event loop did not come round. */
interface Stall {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Shorter ones are how timers are. */
const LEAST_MS = 2;

/** Watches how late this process's own event loop is: timers and answers are no earlier, whoever waits for them. */
export class LagMeter {
  readonly #stalls: Stall[] = [];
  #lastMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#lastMs = performance.now();
    this.#tick();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The stalls that touch the interval, in milliseconds. */
  sumMs(fromMs: number, untilMs: number): number {
    return this.#between(fromMs, untilMs).reduce((sum, stall) => sum + stall.untilMs - stall.fromMs, 0);
  }

  /**
   * By how much the loop kept a call waiting that had a deadline: the stall of the turn that it began in, at the end of which it is
   * sent, and those from the deadline on. The loop may come round to timers once between the call and the end of the turn.
   */
  keptMs(startedMs: number, deadlineMs: number, endedMs: number): number {
    const late = this.#between(deadlineMs, endedMs);
    const early = this.#between(startedMs, startedMs + LEAST_MS).filter((stall) => !late.includes(stall));
    return [...early, ...late].reduce((sum, stall) => sum + stall.untilMs - stall.fromMs, 0);
  }

  #between(fromMs: number, untilMs: number): readonly Stall[] {
    return this.#stalls.filter((stall) => stall.fromMs <= untilMs && stall.untilMs >= fromMs);
  }

  #tick(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs >= LEAST_MS) this.#stalls.push({ fromMs: this.#lastMs, untilMs: nowMs });
    this.#lastMs = nowMs;
    this.#timer = setTimeout(() => this.#tick(), 1);
  }
}
