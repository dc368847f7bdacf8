/** A time in which the event loop was blocked. */
interface Stall {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Shorter stalls are normal for timers. */
const LEAST_MS = 2;

/** Measures how late this process's own event loop is. No timer fires and no reply is read during a stall. */
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

  /** The total of all stalls that touch the interval, in milliseconds. */
  sumMs(fromMs: number, untilMs: number): number {
    return this.#stalls
      .filter((stall) => stall.fromMs <= untilMs && stall.untilMs >= fromMs)
      .reduce((sum, stall) => sum + stall.untilMs - stall.fromMs, 0);
  }

  /** The longest stall that touches the interval, in milliseconds. */
  longestMs(fromMs: number, untilMs: number): number {
    const stalls = this.#stalls.filter((stall) => stall.fromMs <= untilMs && stall.untilMs >= fromMs);
    return Math.max(0, ...stalls.map((stall) => stall.untilMs - stall.fromMs));
  }

  /** The time at which the event loop has run for so long since `fromMs`: each stall on the way moves it. */
  deadlineMs(fromMs: number, ms: number): number {
    let deadlineMs = fromMs + ms;
    for (const stall of this.#stalls) {
      if (stall.fromMs > deadlineMs) break;
      if (stall.untilMs > fromMs) deadlineMs += stall.untilMs - Math.max(stall.fromMs, fromMs);
    }
    return deadlineMs;
  }

  #tick(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastMs >= LEAST_MS) this.#stalls.push({ fromMs: this.#lastMs, untilMs: nowMs });
    this.#lastMs = nowMs;
    this.#timer = setTimeout(() => this.#tick(), 1);
  }
}
