import { type Clock, readUs } from "./clock.ts";

/** `setTimeout` takes longer delays for 1 ms. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Calls back when a clock has come to a moment. It keeps the process alive meanwhile, because a caller waits for it.
 */
export class Timer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  readonly #fire = (): void => {
    this.#cancel = undefined;
    if (this.#leftUs() > 0) {
      this.#arm();
      return;
    }
    this.#dueUs = Number.POSITIVE_INFINITY;
    this.#wake();
  };
  #dueUs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined = undefined;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Sets the only moment, in place of another; with `Infinity`, none. */
  set(dueUs: number): void {
    if (dueUs === this.#dueUs) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueUs = dueUs;
    if (dueUs !== Number.POSITIVE_INFINITY) this.#arm();
  }

  #arm(): void {
    const delayMs = Math.max(0, this.#leftUs()) / 1000;
    const { schedule } = this.#clock;
    this.#cancel =
      schedule === undefined ? scheduleTimeout(this.#fire, delayMs) : schedule.call(this.#clock, this.#fire, delayMs);
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

function scheduleTimeout(callback: () => void, delayMs: number): () => void {
  // Rounded up: timeouts come in whole milliseconds.
  const timeout = setTimeout(callback, Math.min(Math.ceil(delayMs), LONGEST_TIMEOUT_MS));
  return () => clearTimeout(timeout);
}
