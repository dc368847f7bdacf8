import { type Clock, readUs } from "./clock.ts";

/** `setTimeout` takes longer delays for 1 ms. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Workers of Cloudflare end the timers and messages of a request with it, and have none between requests. */
export const TIMERS_END_WITH_REQUESTS: boolean =
  (globalThis as { navigator?: { userAgent?: unknown } }).navigator?.userAgent === "Cloudflare-Workers";

/** What a timer wakes. */
export interface Sleeper {
  wake(): void;
}

/**
 * Wakes its sleeper when a clock has come to a moment. It keeps the process alive meanwhile, because a caller waits for
 * it. There are as many as lines of calls, so it makes few objects.
 */
export class Timer {
  readonly #clock: Clock;
  readonly #sleeper: Sleeper;
  /** Bound, because a closure takes twice the memory. */
  readonly #fire: () => void;
  #dueUs = Number.POSITIVE_INFINITY;
  #timeout: ReturnType<typeof setTimeout> | undefined = undefined;
  /** Set if the clock schedules. */
  #cancel: (() => void) | undefined = undefined;

  constructor(clock: Clock, sleeper: Sleeper) {
    this.#clock = clock;
    this.#sleeper = sleeper;
    this.#fire = this.#onTime.bind(this);
  }

  /** Sets the only moment, in place of another; with `Infinity`, none. */
  set(dueUs: number): void {
    if (dueUs === this.#dueUs) return;
    if (this.#timeout !== undefined) clearTimeout(this.#timeout);
    this.#cancel?.();
    this.#forget();
    this.#dueUs = dueUs;
    if (dueUs !== Number.POSITIVE_INFINITY) this.#arm();
  }

  #onTime(): void {
    this.#forget();
    if (this.#leftUs() > 0) {
      this.#arm();
      return;
    }
    this.#dueUs = Number.POSITIVE_INFINITY;
    this.#sleeper.wake();
  }

  #forget(): void {
    this.#timeout = undefined;
    this.#cancel = undefined;
  }

  #arm(): void {
    const delayMs = Math.max(0, this.#leftUs()) / 1000;
    const { schedule } = this.#clock;
    if (schedule !== undefined) this.#cancel = schedule.call(this.#clock, this.#fire, delayMs);
    // Rounded up: timeouts come in whole milliseconds.
    else this.#timeout = setTimeout(this.#fire, Math.min(Math.ceil(delayMs), LONGEST_TIMEOUT_MS));
  }

  /** With a clock that fails, 0: the calls that wait find the error. */
  #leftUs(): number {
    try {
      return this.#dueUs - readUs(this.#clock);
    } catch {
      return 0;
    }
  }
}
