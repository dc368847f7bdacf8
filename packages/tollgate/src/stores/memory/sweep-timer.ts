/** Sweeps a store at an interval, in slices with turns of the event loop between them: no other work waits long. */
export class SweepTimer {
  readonly #sweepSlice: () => boolean;
  readonly #interval: ReturnType<typeof setInterval>;
  #nextSlice: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** `sweepSlice` says whether it was the last slice. */
  constructor(intervalMs: number, sweepSlice: () => boolean) {
    this.#sweepSlice = sweepSlice;
    this.#interval = setInterval(() => this.#tick(), intervalMs);
    unref(this.#interval);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#interval);
    clearTimeout(this.#nextSlice);
  }

  /** A sweep may take longer than the interval. */
  #tick(): void {
    if (this.#nextSlice === undefined) this.#sweep();
  }

  #sweep(): void {
    this.#nextSlice = undefined;
    // A clock may close the store.
    if (this.#sweepSlice() || this.#isClosed) return;
    this.#nextSlice = setTimeout(() => this.#sweep(), 0);
    unref(this.#nextSlice);
  }
}

/** In browsers timers are numbers. */
function unref(timer: ReturnType<typeof setTimeout>): void {
  if (typeof timer === "object") timer.unref();
}
