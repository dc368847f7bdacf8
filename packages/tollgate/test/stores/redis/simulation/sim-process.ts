import type { Random } from "../script/kit/random.ts";
import { NOW_US } from "../script/kit/script-call.ts";
import type { TimedProcess, Timeline } from "./timeline.ts";

/** The clocks and timers of a process. */
export class SimProcess implements TimedProcess {
  readonly #timeline: Timeline;
  readonly #rate: number;
  readonly #timers = new Set<unknown>();
  #lastTimer = 0;
  #steadyUs: number;
  #wallUs: number;
  /** It does nothing before this moment. */
  stoppedUntilUs = Number.NEGATIVE_INFINITY;
  /** It was killed: it does nothing more. */
  hasEnded = false;

  /** Clocks of processes go at rates near `rate`, and show other times. */
  constructor(timeline: Timeline, random: Random, { drift = 0, rate = 1 } = {}) {
    this.#timeline = timeline;
    this.#rate = rate * (1 + (random.part() - 0.5) * 2 * drift);
    this.#steadyUs = random.between(0, 2_000_000_000);
    this.#wallUs = random.between(-3_600_000_000, 3_600_000_000);
  }

  /** Milliseconds of a clock that is never set, but stands still while the machine sleeps. */
  get steadyMs(): number {
    return (this.#passedUs + this.#steadyUs) / 1_000;
  }

  get wallMs(): number {
    return Math.floor(this.clockMs);
  }

  /** The time of day with its fraction. */
  get clockMs(): number {
    return (NOW_US + this.#passedUs + this.#wallUs) / 1_000;
  }

  get #passedUs(): number {
    return (this.#timeline.nowUs - NOW_US) * this.#rate;
  }

  setTimeout(work: () => void, ms: number): number {
    this.#lastTimer += 1;
    const timer = this.#lastTimer;
    this.#timers.add(timer);
    const atUs = this.#timeline.nowUs + (Math.max(1, ms) * 1_000) / this.#rate;
    this.#timeline.add(atUs, () => this.#timers.delete(timer) && work(), this);
    return timer;
  }

  clearTimeout(timer: unknown): boolean {
    return this.#timers.delete(timer);
  }

  /** The process is stopped, and both clocks go on. */
  stop(forUs: number): void {
    this.stoppedUntilUs = this.#timeline.nowUs + forUs;
  }

  /** The machine sleeps: the steady clock stands still, the time of day does not. */
  sleep(forUs: number): void {
    this.#steadyUs -= forUs;
    this.stop(forUs);
  }

  /** An operator or a time server sets the time of day. */
  setWallClock(byUs: number): void {
    this.#wallUs += byUs;
  }
}
