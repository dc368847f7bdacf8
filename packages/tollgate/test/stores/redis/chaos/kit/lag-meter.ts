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
